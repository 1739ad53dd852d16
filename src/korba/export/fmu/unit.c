/* A mechanism as a unit of FMI 3.0: what the standard asks for, around the generated functions.
 *
 * unit.h, written for the mechanism, says how many there are of what, where the parts of the
 * integrator's queue stand, and declares
 *
 *   korba_slope    (y, t, u, none, dy)       dy/dt
 *   korba_settle   (y, t, u, none, y)        the nearest state with loops closed, unit quaternions
 *   korba_begin    (y, t, u, none, y)        the same with the leading coordinates as they are
 *   korba_places   (y, t, u, none, places)   coordinates of points
 *   korba_advance  (queue, task, share, queue, times, starts, rows, ends, events)
 *   korba_pushforward   (y, t, u, none, their changes, changes of dy and places)
 *   korba_pullback      (y, t, u, none, weights of dy and places, weights of y, t, u, none)
 *
 * y are the coordinates, the velocities, the states of loads, and the work; u the forces that are
 * inputs, the sizes (with motions of drives that are inputs), and the time that these motions are
 * of. Value references count: time, states, their rates, forces, sizes, places.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3.h"
#include "unit.h"

#define KORBA_MANY_ATTEMPTS 1e7
#define KORBA_DRIFT 1e-7 /* of a state beside its loops, from which on it is put back */

enum {
  KORBA_TIME = 0,
  KORBA_FIRST_STATE = 1,
  KORBA_FIRST_RATE = KORBA_FIRST_STATE + KORBA_STATES,
  KORBA_FIRST_FORCE = KORBA_FIRST_RATE + KORBA_STATES,
  KORBA_FIRST_SIZE = KORBA_FIRST_FORCE + KORBA_FORCES,
  KORBA_FIRST_PLACE = KORBA_FIRST_SIZE + KORBA_SIZES,
  KORBA_END = KORBA_FIRST_PLACE + KORBA_PLACES,
  KORBA_CLOCK = KORBA_FORCES + KORBA_SIZES /* where in u the time of the motions of drives is */
};

/* All that a unit remembers. */
typedef struct {
  double t, step, tolerance;
  double y[KORBA_ELEMENTS], u[KORBA_FORCES + KORBA_SIZES + 1];
  int begun, drifted, steps; /* steps: it makes its own */
} korba_Memory;

typedef struct {
  korba_Memory own;
  double state[KORBA_ELEMENTS], rates[KORBA_ELEMENTS], places[KORBA_PLACES + 1];
  int known; /* whether the three above are those of `own` */
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback report;
} korba_Unit;

static const double korba_nothing[1] = {0.0};

static fmi3Status korba_failed(korba_Unit *unit, const char *message) {
  if (unit->report) unit->report(unit->environment, fmi3Error, "logStatusError", message);
  return fmi3Error;
}

static int korba_are_numbers(const double *y) {
  for (int i = 0; i < KORBA_STATES; i++)
    if (!isfinite(y[i])) return 0;
  return 1;
}

/* A memory of all zeros, as an importer's that was never filled, has no tolerance. */
static int korba_is_state(const korba_Memory *own) {
  return own->tolerance > 0.0 && isfinite(own->t) && korba_are_numbers(own->y);
}

static void korba_reset(korba_Unit *unit) {
  int steps = unit->own.steps;
  memset(&unit->own, 0, sizeof unit->own);
  unit->own.steps = steps;
  memcpy(unit->own.y, korba_start, sizeof unit->own.y);
  memcpy(unit->own.u, korba_constants, sizeof unit->own.u);
  unit->own.tolerance = KORBA_TOLERANCE;
  unit->known = 0;
}

/* Motions of drives are those of now; of a unit that makes its steps, of when they were set. */
static void korba_look_at_clock(korba_Memory *own) {
  if (!own->steps || !own->begun) own->u[KORBA_CLOCK] = own->t;
}

/* The nearest state with loops closed and drives where they are. */
static void korba_settled(korba_Memory *own, double *settled) {
  korba_look_at_clock(own);
  korba_settle(own->y, &own->t, own->u, korba_nothing, settled);
}

/* States, rates and places; before the start those of the state that it will begin with. */
static fmi3Status korba_evaluate(korba_Unit *unit) {
  korba_Memory *own = &unit->own;
  if (unit->known) return fmi3OK;
  korba_look_at_clock(own);
  if (!own->begun && KORBA_SETTLES)
    korba_begin(own->y, &own->t, own->u, korba_nothing, unit->state);
  else if (own->steps && KORBA_DRIVEN) korba_settled(own, unit->state);
  else memcpy(unit->state, own->y, sizeof unit->state);
  if (!korba_are_numbers(unit->state))
    return korba_failed(unit, "loops or drives are open, too far to be closed from here");
  korba_slope(unit->state, &own->t, own->u, korba_nothing, unit->rates);
  korba_places(unit->state, &own->t, own->u, korba_nothing, unit->places);
  unit->known = 1;
  return fmi3OK;
}

static korba_Unit *korba_instantiated(fmi3String token, fmi3InstanceEnvironment environment,
                          fmi3LogMessageCallback report) {
  korba_Unit *unit = NULL;
  if (token && strcmp(token, KORBA_TOKEN) == 0) unit = calloc(1, sizeof(korba_Unit));
  if (!unit) {
    if (report) report(environment, fmi3Error, "logStatusError", "the token is not that of this unit");
    return NULL;
  }
  unit->environment = environment;
  unit->report = report;
  korba_reset(unit);
  return unit;
}

FMI_EXPORT const char *FMI(fmi3GetVersion)(void) { return "3.0"; }

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateModelExchange)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback report) {
  (void)name, (void)resources, (void)visible, (void)logging;
  return korba_instantiated(token, environment, report);
}

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
    const fmi3ValueReference intermediate[], size_t count, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback report, fmi3IntermediateUpdateCallback update) {
  (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode;
  (void)early_return, (void)intermediate, (void)count, (void)update;
  korba_Unit *unit = korba_instantiated(token, environment, report);
  if (unit) unit->own.steps = 1;
  return unit;
}

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback report,
    fmi3ClockUpdateCallback update, fmi3PreemptionCallback lock, fmi3PreemptionCallback unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment;
  (void)report, (void)update, (void)lock, (void)unlock;
  return NULL;
}

FMI_EXPORT void FMI(fmi3FreeInstance)(fmi3Instance instance) { free(instance); }

/* modes */

FMI_EXPORT fmi3Status FMI(fmi3EnterInitializationMode)(
    fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start,
    fmi3Boolean has_stop, fmi3Float64 stop) {
  korba_Unit *unit = instance;
  (void)has_stop, (void)stop;
  if (has_tolerance && tolerance > 0.0) unit->own.tolerance = tolerance;
  unit->own.t = start;
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3ExitInitializationMode)(fmi3Instance instance) {
  korba_Unit *unit = instance;
  fmi3Status status = korba_evaluate(unit);
  if (status != fmi3OK) return status;
  memcpy(unit->own.y, unit->state, sizeof unit->own.y);
  unit->own.begun = 1;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3Reset)(fmi3Instance instance) {
  korba_reset(instance);
  return fmi3OK;
}

#define KORBA_ACCEPTED(name) \
  FMI_EXPORT fmi3Status FMI(name)(fmi3Instance instance) { (void)instance; return fmi3OK; }
KORBA_ACCEPTED(fmi3EnterEventMode)
KORBA_ACCEPTED(fmi3EnterContinuousTimeMode)
KORBA_ACCEPTED(fmi3EnterStepMode)
KORBA_ACCEPTED(fmi3Terminate)
KORBA_ACCEPTED(fmi3EvaluateDiscreteStates)
KORBA_ACCEPTED(fmi3EnterConfigurationMode)
KORBA_ACCEPTED(fmi3ExitConfigurationMode)

FMI_EXPORT fmi3Status FMI(fmi3SetDebugLogging)(
    fmi3Instance instance, fmi3Boolean on, size_t count, const fmi3String categories[]) {
  (void)instance, (void)on, (void)count, (void)categories;
  return fmi3OK;
}

/* variables */

FMI_EXPORT fmi3Status FMI(fmi3GetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t count,
    fmi3Float64 values[], size_t room) {
  korba_Unit *unit = instance;
  if (room != count) return korba_failed(unit, "every variable has one value");
  for (size_t k = 0; k < count; k++) {
    fmi3ValueReference at = references[k];
    if (at >= KORBA_END) return korba_failed(unit, "there is no variable of this reference");
    if (at == KORBA_TIME) values[k] = unit->own.t;
    else if (at >= KORBA_FIRST_FORCE && at < KORBA_FIRST_PLACE)
      values[k] = unit->own.u[at - KORBA_FIRST_FORCE];
    else if (korba_evaluate(unit) != fmi3OK) return fmi3Error;
    else if (at < KORBA_FIRST_RATE) values[k] = unit->state[at - KORBA_FIRST_STATE];
    else if (at < KORBA_FIRST_FORCE) values[k] = unit->rates[at - KORBA_FIRST_RATE];
    else values[k] = unit->places[at - KORBA_FIRST_PLACE];
  }
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t count,
    const fmi3Float64 values[], size_t room) {
  korba_Unit *unit = instance;
  if (room != count) return korba_failed(unit, "every variable has one value");
  for (size_t k = 0; k < count; k++) {
    fmi3ValueReference at = references[k];
    if (at >= KORBA_FIRST_FORCE && at < KORBA_FIRST_PLACE)
      unit->own.u[at - KORBA_FIRST_FORCE] = values[k];
    else if (at >= KORBA_FIRST_STATE && at < KORBA_FIRST_RATE)
      unit->own.y[at - KORBA_FIRST_STATE] = values[k];
    else return korba_failed(unit, "a variable is set that is neither a state, a force nor a size");
    if (at >= KORBA_FIRST_SIZE) unit->own.u[KORBA_CLOCK] = unit->own.t;
  }
  unit->known = 0;
  return fmi3OK;
}

/* model exchange */

FMI_EXPORT fmi3Status FMI(fmi3SetTime)(fmi3Instance instance, fmi3Float64 t) {
  korba_Unit *unit = instance;
  unit->own.t = t;
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SetContinuousStates)(
    fmi3Instance instance, const fmi3Float64 states[], size_t count) {
  korba_Unit *unit = instance;
  if (count != KORBA_STATES) return korba_failed(unit, "another number of states");
  memcpy(unit->own.y, states, KORBA_STATES * sizeof(double));
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetContinuousStates)(
    fmi3Instance instance, fmi3Float64 states[], size_t count) {
  korba_Unit *unit = instance;
  if (count != KORBA_STATES) return korba_failed(unit, "another number of states");
  if (korba_evaluate(unit) != fmi3OK) return fmi3Error;
  memcpy(states, unit->state, KORBA_STATES * sizeof(double));
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetContinuousStateDerivatives)(
    fmi3Instance instance, fmi3Float64 rates[], size_t count) {
  korba_Unit *unit = instance;
  if (count != KORBA_STATES) return korba_failed(unit, "another number of states");
  if (korba_evaluate(unit) != fmi3OK) return fmi3Error;
  memcpy(rates, unit->rates, KORBA_STATES * sizeof(double));
  if (korba_are_numbers(rates)) return fmi3OK;
  return korba_failed(unit, "the rates at this state are no numbers");
}

FMI_EXPORT fmi3Status FMI(fmi3GetNominalsOfContinuousStates)(
    fmi3Instance instance, fmi3Float64 nominals[], size_t count) {
  if (count != KORBA_STATES) return korba_failed(instance, "another number of states");
  memcpy(nominals, korba_nominals, KORBA_STATES * sizeof(double));
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t *count) {
  (void)instance;
  *count = KORBA_STATES;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t *count) {
  (void)instance;
  *count = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetEventIndicators)(
    fmi3Instance instance, fmi3Float64 indicators[], size_t count) {
  (void)indicators;
  return count ? korba_failed(instance, "there are no event indicators") : fmi3OK;
}

/* A step of the environment opens loops by its error: where it is large, an event puts it right. */
FMI_EXPORT fmi3Status FMI(fmi3CompletedIntegratorStep)(
    fmi3Instance instance, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate) {
  korba_Unit *unit = instance;
  korba_Memory *own = &unit->own;
  (void)no_return;
  *event = *terminate = false;
  if (KORBA_SETTLES) {
    double settled[KORBA_ELEMENTS], drift = 0.0;
    korba_settled(own, settled);
    if (!korba_are_numbers(settled))
      return korba_failed(unit, "the loops cannot be closed any more");
    for (int i = 0; i < KORBA_STATES; i++)
      drift = fmax(drift, fabs(settled[i] - own->y[i]) / korba_nominals[i]);
    own->drifted = drift > KORBA_DRIFT;
    *event = own->drifted != 0;
  }
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3UpdateDiscreteStates)(
    fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
    fmi3Boolean *states, fmi3Boolean *timed, fmi3Float64 *t) {
  korba_Unit *unit = instance;
  korba_Memory *own = &unit->own;
  *again = *terminate = *nominals = *states = *timed = false;
  *t = 0.0;
  if (own->drifted) {
    double settled[KORBA_ELEMENTS];
    korba_settled(own, settled);
    memcpy(own->y, settled, sizeof settled);
    own->drifted = 0;
    unit->known = 0;
    *states = true;
  }
  return fmi3OK;
}

/* co-simulation */

FMI_EXPORT fmi3Status FMI(fmi3DoStep)(
    fmi3Instance instance, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_return,
    fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached) {
  korba_Unit *unit = instance;
  korba_Memory *own = &unit->own;
  double queue[KORBA_QUEUE] = {0.0}, after[KORBA_QUEUE];
  double task[KORBA_TASK] = {0.0}, ends[KORBA_ENDS] = {0.0}, events[2];
  double starts[KORBA_ELEMENTS + KORBA_FORCES + KORBA_SIZES + 1], rows[KORBA_ELEMENTS + 1];
  const double share[3] = {1.0, 1.0, 1.0};
  double never[1] = {HUGE_VAL};
  (void)no_return;
  *event = *terminate = *early = false;
  *reached = own->t;
  if (!(t >= own->t - 1e-9 * (fabs(h) + fabs(t))))
    return korba_failed(
        unit, "a step begins before the time that was reached; set an earlier state first");
  if (own->t != t) unit->known = 0;
  *reached = own->t = t;
  if (!(h > 0.0)) return h == 0.0 ? fmi3OK : korba_failed(unit, "a step must go forward in time");
  queue[KORBA_QUEUE_STATUS] = KORBA_STATUS_FRESH;
  queue[KORBA_QUEUE_LEFT] = KORBA_MANY_ATTEMPTS;
  task[KORBA_TASK_START] = t;
  task[KORBA_TASK_END] = t + h;
  task[KORBA_TASK_SHORTEST] = 2.3e-19 * h;
  task[KORBA_TASK_TIMES] = 1.0;
  task[KORBA_TASK_STEP] = own->step;
  task[KORBA_TASK_RTOL] = own->tolerance;
  task[KORBA_TASK_ATOL] = 0.01 * own->tolerance;
  task[KORBA_TASK_LONGEST] = HUGE_VAL;
  task[KORBA_TASK_LENGTH] = KORBA_LENGTH;
  if (korba_evaluate(unit) != fmi3OK) return fmi3Error;
  memcpy(starts, unit->state, sizeof unit->state);
  memcpy(starts + KORBA_ELEMENTS, own->u, sizeof own->u);
  korba_advance(queue, task, share, after, never, starts, rows, ends, events);
  if (ends[0] != KORBA_STATUS_DONE || !korba_are_numbers(after + KORBA_QUEUE_Y))
    return korba_failed(unit, "the motion cannot be followed: steps became too small or too many");
  memcpy(own->y, after + KORBA_QUEUE_Y, sizeof own->y);
  own->step = after[KORBA_QUEUE_H];
  *reached = own->t = t + h;
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetOutputDerivatives)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t count,
    const fmi3Int32 orders[], fmi3Float64 values[], size_t room) {
  korba_Unit *unit = instance;
  if (room != count) return korba_failed(unit, "every variable has one value");
  for (size_t k = 0; k < count; k++) {
    if (orders[k] != 1 || references[k] < KORBA_FIRST_STATE || references[k] >= KORBA_FIRST_RATE)
      return korba_failed(unit, "only first derivatives of states are known");
    if (korba_evaluate(unit) != fmi3OK) return fmi3Error;
    values[k] = unit->rates[references[k] - KORBA_FIRST_STATE];
  }
  return fmi3OK;
}

/* derivatives: of states, rates and places by states, forces and sizes */

FMI_EXPORT fmi3Status FMI(fmi3GetDirectionalDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t results,
    const fmi3ValueReference knowns[], size_t count, const fmi3Float64 seed[], size_t seeds,
    fmi3Float64 sensitivity[], size_t room) {
  korba_Unit *unit = instance;
  double y[KORBA_ELEMENTS] = {0.0}, t[1] = {0.0}, u[KORBA_CLOCK + 1] = {0.0};
  double rates[KORBA_ELEMENTS], places[KORBA_PLACES + 1];
  if (seeds != count || room != results) return korba_failed(unit, "every variable has one value");
  if (korba_evaluate(unit) != fmi3OK) return fmi3Error;
  for (size_t k = 0; k < count; k++) {
    fmi3ValueReference at = knowns[k];
    if (at >= KORBA_FIRST_FORCE && at < KORBA_FIRST_PLACE) u[at - KORBA_FIRST_FORCE] = seed[k];
    else if (at >= KORBA_FIRST_STATE && at < KORBA_FIRST_RATE) y[at - KORBA_FIRST_STATE] = seed[k];
    else return korba_failed(unit, "derivatives are known by states, forces and sizes");
  }
  korba_pushforward(
      unit->state, &unit->own.t, unit->own.u, korba_nothing, y, t, u, korba_nothing, rates, places);
  for (size_t k = 0; k < results; k++) {
    fmi3ValueReference at = unknowns[k];
    if (at >= KORBA_FIRST_PLACE && at < KORBA_END) sensitivity[k] = places[at - KORBA_FIRST_PLACE];
    else if (at >= KORBA_FIRST_RATE && at < KORBA_FIRST_FORCE)
      sensitivity[k] = rates[at - KORBA_FIRST_RATE];
    else if (at >= KORBA_FIRST_STATE && at < KORBA_FIRST_RATE)
      sensitivity[k] = y[at - KORBA_FIRST_STATE];
    else return korba_failed(unit, "derivatives are known of states, their rates and points");
  }
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetAdjointDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t results,
    const fmi3ValueReference knowns[], size_t count, const fmi3Float64 seed[], size_t seeds,
    fmi3Float64 sensitivity[], size_t room) {
  korba_Unit *unit = instance;
  double own[KORBA_ELEMENTS] = {0.0}, rates[KORBA_ELEMENTS] = {0.0};
  double places[KORBA_PLACES + 1] = {0.0};
  double y[KORBA_ELEMENTS], t[1], u[KORBA_CLOCK + 1], none[1];
  if (seeds != results || room != count) return korba_failed(unit, "every variable has one value");
  if (korba_evaluate(unit) != fmi3OK) return fmi3Error;
  for (size_t k = 0; k < results; k++) {
    fmi3ValueReference at = unknowns[k];
    if (at >= KORBA_FIRST_PLACE && at < KORBA_END) places[at - KORBA_FIRST_PLACE] = seed[k];
    else if (at >= KORBA_FIRST_RATE && at < KORBA_FIRST_FORCE)
      rates[at - KORBA_FIRST_RATE] = seed[k];
    else if (at >= KORBA_FIRST_STATE && at < KORBA_FIRST_RATE)
      own[at - KORBA_FIRST_STATE] = seed[k];
    else return korba_failed(unit, "derivatives are known of states, their rates and points");
  }
  korba_pullback(
      unit->state, &unit->own.t, unit->own.u, korba_nothing, rates, places, y, t, u, none);
  for (size_t k = 0; k < count; k++) {
    fmi3ValueReference at = knowns[k];
    if (at >= KORBA_FIRST_FORCE && at < KORBA_FIRST_PLACE)
      sensitivity[k] = u[at - KORBA_FIRST_FORCE];
    else if (at >= KORBA_FIRST_STATE && at < KORBA_FIRST_RATE)
      sensitivity[k] = y[at - KORBA_FIRST_STATE] + own[at - KORBA_FIRST_STATE];
    else return korba_failed(unit, "derivatives are known by states, forces and sizes");
  }
  return fmi3OK;
}

/* the state of a unit as a whole */

FMI_EXPORT fmi3Status FMI(fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState *state) {
  korba_Unit *unit = instance;
  if (!*state) *state = malloc(sizeof(korba_Memory));
  if (!*state) return korba_failed(unit, "there is no memory for a state");
  memcpy(*state, &unit->own, sizeof(korba_Memory));
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state) {
  korba_Unit *unit = instance;
  korba_Memory kept;
  if (state) memcpy(&kept, state, sizeof(korba_Memory));
  if (!state || !korba_is_state(&kept)) return korba_failed(unit, "this is no state of this unit");
  unit->own = kept;
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3FreeFMUState)(fmi3Instance instance, fmi3FMUState *state) {
  (void)instance;
  if (state) {
    free(*state);
    *state = NULL;
  }
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SerializedFMUStateSize)(
    fmi3Instance instance, fmi3FMUState state, size_t *size) {
  (void)instance, (void)state;
  *size = sizeof(korba_Memory);
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SerializeFMUState)(
    fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  if (size < sizeof(korba_Memory))
    return korba_failed(instance, "there is too little room for the state");
  memcpy(bytes, state, sizeof(korba_Memory));
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3DeserializeFMUState)(
    fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
  korba_Memory kept;
  if (size == sizeof(korba_Memory)) memcpy(&kept, bytes, sizeof(korba_Memory));
  if (size != sizeof(korba_Memory) || !korba_is_state(&kept))
    return korba_failed(instance, "this is no state of this unit");
  if (!*state) *state = malloc(sizeof(korba_Memory));
  if (!*state) return korba_failed(instance, "there is no memory for a state");
  memcpy(*state, bytes, sizeof(korba_Memory));
  return fmi3OK;
}

/* what a mechanism does not have: variables of other types, clocks, partitions */

#define KORBA_ABSENT(name, type) \
  FMI_EXPORT fmi3Status FMI(fmi3Get##name)( \
      fmi3Instance instance, const fmi3ValueReference references[], size_t count, type values[], \
      size_t room) { \
    (void)references, (void)values, (void)room; \
    return count ? korba_failed(instance, "there is no variable of type " #name) : fmi3OK; \
  } \
  FMI_EXPORT fmi3Status FMI(fmi3Set##name)( \
      fmi3Instance instance, const fmi3ValueReference references[], size_t count, \
      const type values[], size_t room) { \
    (void)references, (void)values, (void)room; \
    return count ? korba_failed(instance, "there is no variable of type " #name) : fmi3OK; \
  }
KORBA_ABSENT(Float32, fmi3Float32)
KORBA_ABSENT(Int8, fmi3Int8)
KORBA_ABSENT(UInt8, fmi3UInt8)
KORBA_ABSENT(Int16, fmi3Int16)
KORBA_ABSENT(UInt16, fmi3UInt16)
KORBA_ABSENT(Int32, fmi3Int32)
KORBA_ABSENT(UInt32, fmi3UInt32)
KORBA_ABSENT(Int64, fmi3Int64)
KORBA_ABSENT(UInt64, fmi3UInt64)
KORBA_ABSENT(Boolean, fmi3Boolean)
KORBA_ABSENT(String, fmi3String)

#define KORBA_REFUSED(name, ...) \
  FMI_EXPORT fmi3Status FMI(name)(fmi3Instance instance, __VA_ARGS__) { \
    KORBA_UNUSED; \
    return korba_failed(instance, #name " is not provided"); \
  }
#define KORBA_LISTED const fmi3ValueReference references[], size_t count
#define KORBA_UNUSED (void)references, (void)count, (void)a, (void)b, (void)c
KORBA_REFUSED(fmi3GetBinary, KORBA_LISTED, size_t a[], fmi3Binary b[], size_t c)
KORBA_REFUSED(fmi3SetBinary, KORBA_LISTED, const size_t a[], const fmi3Binary b[], size_t c)
KORBA_REFUSED(
    fmi3GetIntervalFraction, KORBA_LISTED, fmi3UInt64 a[], fmi3UInt64 b[],
    fmi3IntervalQualifier c[])
#undef KORBA_UNUSED
#define KORBA_UNUSED (void)references, (void)count, (void)a, (void)b
KORBA_REFUSED(fmi3GetIntervalDecimal, KORBA_LISTED, fmi3Float64 a[], fmi3IntervalQualifier b[])
KORBA_REFUSED(fmi3GetShiftFraction, KORBA_LISTED, fmi3UInt64 a[], fmi3UInt64 b[])
KORBA_REFUSED(fmi3SetIntervalFraction, KORBA_LISTED, const fmi3UInt64 a[], const fmi3UInt64 b[])
KORBA_REFUSED(fmi3SetShiftFraction, KORBA_LISTED, const fmi3UInt64 a[], const fmi3UInt64 b[])
#undef KORBA_UNUSED
#define KORBA_UNUSED (void)references, (void)count, (void)a
KORBA_REFUSED(fmi3GetClock, KORBA_LISTED, fmi3Clock a[])
KORBA_REFUSED(fmi3SetClock, KORBA_LISTED, const fmi3Clock a[])
KORBA_REFUSED(fmi3GetShiftDecimal, KORBA_LISTED, fmi3Float64 a[])
KORBA_REFUSED(fmi3SetIntervalDecimal, KORBA_LISTED, const fmi3Float64 a[])
KORBA_REFUSED(fmi3SetShiftDecimal, KORBA_LISTED, const fmi3Float64 a[])
#undef KORBA_UNUSED
#define KORBA_UNUSED (void)a, (void)b
KORBA_REFUSED(fmi3GetNumberOfVariableDependencies, fmi3ValueReference a, size_t *b)
KORBA_REFUSED(fmi3ActivateModelPartition, fmi3ValueReference a, fmi3Float64 b)
#undef KORBA_UNUSED
#define KORBA_UNUSED (void)a, (void)b, (void)c, (void)d, (void)e, (void)f
KORBA_REFUSED(fmi3GetVariableDependencies, fmi3ValueReference a, size_t b[], fmi3ValueReference c[],
        size_t d[], fmi3DependencyKind e[], size_t f)
