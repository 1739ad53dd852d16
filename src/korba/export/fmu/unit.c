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

#define MANY_ATTEMPTS 1e7
#define DRIFT 1e-7 /* of a state beside its loops, from which on it is put back */

enum {
  TIME = 0,
  FIRST_STATE = 1,
  FIRST_RATE = FIRST_STATE + STATES,
  FIRST_FORCE = FIRST_RATE + STATES,
  FIRST_SIZE = FIRST_FORCE + FORCES,
  FIRST_PLACE = FIRST_SIZE + SIZES,
  END = FIRST_PLACE + PLACES,
  CLOCK = FORCES + SIZES /* where in u the time of the motions of drives is */
};

/* All that a unit remembers. */
typedef struct {
  double t, step, tolerance;
  double y[ELEMENTS], u[FORCES + SIZES + 1];
  int begun, drifted, steps; /* steps: it makes its own */
} Memory;

typedef struct {
  Memory own;
  double state[ELEMENTS], rates[ELEMENTS], places[PLACES + 1];
  int known; /* whether the three above are those of `own` */
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
} Unit;

static const double nothing[1] = {0.0};

static fmi3Status failed(Unit *unit, const char *message) {
  if (unit->log) unit->log(unit->environment, fmi3Error, "logStatusError", message);
  return fmi3Error;
}

static int finite(const double *y) {
  for (int i = 0; i < STATES; i++)
    if (!isfinite(y[i])) return 0;
  return 1;
}

/* A memory of all zeros, as an importer's that was never filled, has no tolerance. */
static int is_state(const Memory *own) {
  return own->tolerance > 0.0 && isfinite(own->t) && finite(own->y);
}

static void reset(Unit *unit) {
  int steps = unit->own.steps;
  memset(&unit->own, 0, sizeof unit->own);
  unit->own.steps = steps;
  memcpy(unit->own.y, korba_start, sizeof unit->own.y);
  memcpy(unit->own.u, korba_constants, sizeof unit->own.u);
  unit->own.tolerance = TOLERANCE;
  unit->known = 0;
}

/* Motions of drives are those of now; of a unit that makes its steps, of when they were set. */
static void look_at_clock(Memory *own) {
  if (!own->steps || !own->begun) own->u[CLOCK] = own->t;
}

/* The nearest state with loops closed and drives where they are. */
static void settle(Memory *own, double *settled) {
  look_at_clock(own);
  korba_settle(own->y, &own->t, own->u, nothing, settled);
}

/* States, rates and places; before the start those of the state that it will begin with. */
static fmi3Status evaluate(Unit *unit) {
  Memory *own = &unit->own;
  if (unit->known) return fmi3OK;
  look_at_clock(own);
  if (!own->begun && SETTLES) korba_begin(own->y, &own->t, own->u, nothing, unit->state);
  else if (own->steps && DRIVEN) settle(own, unit->state);
  else memcpy(unit->state, own->y, sizeof unit->state);
  if (!finite(unit->state))
    return failed(unit, "loops or drives are open, too far to be closed from here");
  korba_slope(unit->state, &own->t, own->u, nothing, unit->rates);
  korba_places(unit->state, &own->t, own->u, nothing, unit->places);
  unit->known = 1;
  return fmi3OK;
}

static Unit *instantiated(fmi3String token, fmi3InstanceEnvironment environment,
                          fmi3LogMessageCallback log) {
  Unit *unit = NULL;
  if (token && strcmp(token, TOKEN) == 0) unit = calloc(1, sizeof(Unit));
  if (!unit) {
    if (log) log(environment, fmi3Error, "logStatusError", "the token is not that of this unit");
    return NULL;
  }
  unit->environment = environment;
  unit->log = log;
  reset(unit);
  return unit;
}

FMI_EXPORT const char *FMI(fmi3GetVersion)(void) { return "3.0"; }

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateModelExchange)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  (void)name, (void)resources, (void)visible, (void)logging;
  return instantiated(token, environment, log);
}

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
    const fmi3ValueReference intermediate[], size_t count, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode;
  (void)early_return, (void)intermediate, (void)count, (void)update;
  Unit *unit = instantiated(token, environment, log);
  if (unit) unit->own.steps = 1;
  return unit;
}

FMI_EXPORT fmi3Instance FMI(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3PreemptionCallback lock, fmi3PreemptionCallback unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment;
  (void)log, (void)update, (void)lock, (void)unlock;
  return NULL;
}

FMI_EXPORT void FMI(fmi3FreeInstance)(fmi3Instance instance) { free(instance); }

/* modes */

FMI_EXPORT fmi3Status FMI(fmi3EnterInitializationMode)(
    fmi3Instance instance, fmi3Boolean has_tolerance, fmi3Float64 tolerance, fmi3Float64 start,
    fmi3Boolean has_stop, fmi3Float64 stop) {
  Unit *unit = instance;
  (void)has_stop, (void)stop;
  if (has_tolerance && tolerance > 0.0) unit->own.tolerance = tolerance;
  unit->own.t = start;
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3ExitInitializationMode)(fmi3Instance instance) {
  Unit *unit = instance;
  fmi3Status status = evaluate(unit);
  if (status != fmi3OK) return status;
  memcpy(unit->own.y, unit->state, sizeof unit->own.y);
  unit->own.begun = 1;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3Reset)(fmi3Instance instance) {
  reset(instance);
  return fmi3OK;
}

#define ACCEPTED(name) \
  FMI_EXPORT fmi3Status FMI(name)(fmi3Instance instance) { (void)instance; return fmi3OK; }
ACCEPTED(fmi3EnterEventMode)
ACCEPTED(fmi3EnterContinuousTimeMode)
ACCEPTED(fmi3EnterStepMode)
ACCEPTED(fmi3Terminate)
ACCEPTED(fmi3EvaluateDiscreteStates)
ACCEPTED(fmi3EnterConfigurationMode)
ACCEPTED(fmi3ExitConfigurationMode)

FMI_EXPORT fmi3Status FMI(fmi3SetDebugLogging)(
    fmi3Instance instance, fmi3Boolean on, size_t count, const fmi3String categories[]) {
  (void)instance, (void)on, (void)count, (void)categories;
  return fmi3OK;
}

/* variables */

FMI_EXPORT fmi3Status FMI(fmi3GetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t count,
    fmi3Float64 values[], size_t room) {
  Unit *unit = instance;
  if (room != count) return failed(unit, "every variable has one value");
  for (size_t k = 0; k < count; k++) {
    fmi3ValueReference at = references[k];
    if (at >= END) return failed(unit, "there is no variable of this reference");
    if (at == TIME) values[k] = unit->own.t;
    else if (at >= FIRST_FORCE && at < FIRST_PLACE) values[k] = unit->own.u[at - FIRST_FORCE];
    else if (evaluate(unit) != fmi3OK) return fmi3Error;
    else if (at < FIRST_RATE) values[k] = unit->state[at - FIRST_STATE];
    else if (at < FIRST_FORCE) values[k] = unit->rates[at - FIRST_RATE];
    else values[k] = unit->places[at - FIRST_PLACE];
  }
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SetFloat64)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t count,
    const fmi3Float64 values[], size_t room) {
  Unit *unit = instance;
  if (room != count) return failed(unit, "every variable has one value");
  for (size_t k = 0; k < count; k++) {
    fmi3ValueReference at = references[k];
    if (at >= FIRST_FORCE && at < FIRST_PLACE) unit->own.u[at - FIRST_FORCE] = values[k];
    else if (at >= FIRST_STATE && at < FIRST_RATE) unit->own.y[at - FIRST_STATE] = values[k];
    else return failed(unit, "a variable is set that is neither a state, a force nor a size");
    if (at >= FIRST_SIZE) unit->own.u[CLOCK] = unit->own.t;
  }
  unit->known = 0;
  return fmi3OK;
}

/* model exchange */

FMI_EXPORT fmi3Status FMI(fmi3SetTime)(fmi3Instance instance, fmi3Float64 t) {
  Unit *unit = instance;
  unit->own.t = t;
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SetContinuousStates)(
    fmi3Instance instance, const fmi3Float64 states[], size_t count) {
  Unit *unit = instance;
  if (count != STATES) return failed(unit, "another number of states");
  memcpy(unit->own.y, states, STATES * sizeof(double));
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetContinuousStates)(
    fmi3Instance instance, fmi3Float64 states[], size_t count) {
  Unit *unit = instance;
  if (count != STATES) return failed(unit, "another number of states");
  if (evaluate(unit) != fmi3OK) return fmi3Error;
  memcpy(states, unit->state, STATES * sizeof(double));
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetContinuousStateDerivatives)(
    fmi3Instance instance, fmi3Float64 rates[], size_t count) {
  Unit *unit = instance;
  if (count != STATES) return failed(unit, "another number of states");
  if (evaluate(unit) != fmi3OK) return fmi3Error;
  memcpy(rates, unit->rates, STATES * sizeof(double));
  return finite(rates) ? fmi3OK : failed(unit, "the rates at this state are no numbers");
}

FMI_EXPORT fmi3Status FMI(fmi3GetNominalsOfContinuousStates)(
    fmi3Instance instance, fmi3Float64 nominals[], size_t count) {
  if (count != STATES) return failed(instance, "another number of states");
  memcpy(nominals, korba_nominals, STATES * sizeof(double));
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t *count) {
  (void)instance;
  *count = STATES;
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
  return count ? failed(instance, "there are no event indicators") : fmi3OK;
}

/* A step of the environment opens loops by its error: where it is large, an event puts it right. */
FMI_EXPORT fmi3Status FMI(fmi3CompletedIntegratorStep)(
    fmi3Instance instance, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate) {
  Unit *unit = instance;
  Memory *own = &unit->own;
  (void)no_return;
  *event = *terminate = false;
  if (SETTLES) {
    double settled[ELEMENTS], drift = 0.0;
    settle(own, settled);
    if (!finite(settled)) return failed(unit, "the loops cannot be closed any more");
    for (int i = 0; i < STATES; i++)
      drift = fmax(drift, fabs(settled[i] - own->y[i]) / korba_nominals[i]);
    own->drifted = drift > DRIFT;
    *event = own->drifted != 0;
  }
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3UpdateDiscreteStates)(
    fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
    fmi3Boolean *states, fmi3Boolean *timed, fmi3Float64 *t) {
  Unit *unit = instance;
  Memory *own = &unit->own;
  *again = *terminate = *nominals = *states = *timed = false;
  *t = 0.0;
  if (own->drifted) {
    double settled[ELEMENTS];
    settle(own, settled);
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
  Unit *unit = instance;
  Memory *own = &unit->own;
  double queue[QUEUE] = {0.0}, after[QUEUE], task[TASK] = {0.0}, ends[ENDS] = {0.0};
  double starts[ELEMENTS + FORCES + SIZES + 1], rows[ELEMENTS + 1], events[2];
  const double share[3] = {1.0, 1.0, 1.0};
  double never[1] = {HUGE_VAL};
  (void)no_return;
  *event = *terminate = *early = false;
  *reached = own->t;
  if (!(t >= own->t - 1e-9 * (fabs(h) + fabs(t))))
    return failed(unit, "a step begins before the time that was reached; set an earlier state first");
  if (own->t != t) unit->known = 0;
  *reached = own->t = t;
  if (!(h > 0.0)) return h == 0.0 ? fmi3OK : failed(unit, "a step must go forward in time");
  queue[QUEUE_STATUS] = STATUS_FRESH;
  queue[QUEUE_LEFT] = MANY_ATTEMPTS;
  task[TASK_START] = t;
  task[TASK_END] = t + h;
  task[TASK_SHORTEST] = 2.3e-19 * h;
  task[TASK_TIMES] = 1.0;
  task[TASK_STEP] = own->step;
  task[TASK_RTOL] = own->tolerance;
  task[TASK_ATOL] = 0.01 * own->tolerance;
  task[TASK_LONGEST] = HUGE_VAL;
  task[TASK_LENGTH] = LENGTH;
  if (evaluate(unit) != fmi3OK) return fmi3Error;
  memcpy(starts, unit->state, sizeof unit->state);
  memcpy(starts + ELEMENTS, own->u, sizeof own->u);
  korba_advance(queue, task, share, after, never, starts, rows, ends, events);
  if (ends[0] != STATUS_DONE || !finite(after + QUEUE_Y))
    return failed(unit, "the motion cannot be followed: steps became too small or too many");
  memcpy(own->y, after + QUEUE_Y, sizeof own->y);
  own->step = after[QUEUE_H];
  *reached = own->t = t + h;
  unit->known = 0;
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetOutputDerivatives)(
    fmi3Instance instance, const fmi3ValueReference references[], size_t count,
    const fmi3Int32 orders[], fmi3Float64 values[], size_t room) {
  Unit *unit = instance;
  if (room != count) return failed(unit, "every variable has one value");
  for (size_t k = 0; k < count; k++) {
    if (orders[k] != 1 || references[k] < FIRST_STATE || references[k] >= FIRST_RATE)
      return failed(unit, "only first derivatives of states are known");
    if (evaluate(unit) != fmi3OK) return fmi3Error;
    values[k] = unit->rates[references[k] - FIRST_STATE];
  }
  return fmi3OK;
}

/* derivatives: of states, rates and places by states, forces and sizes */

FMI_EXPORT fmi3Status FMI(fmi3GetDirectionalDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t results,
    const fmi3ValueReference knowns[], size_t count, const fmi3Float64 seed[], size_t seeds,
    fmi3Float64 sensitivity[], size_t room) {
  Unit *unit = instance;
  double y[ELEMENTS] = {0.0}, t[1] = {0.0}, u[CLOCK + 1] = {0.0};
  double rates[ELEMENTS], places[PLACES + 1];
  if (seeds != count || room != results) return failed(unit, "every variable has one value");
  if (evaluate(unit) != fmi3OK) return fmi3Error;
  for (size_t k = 0; k < count; k++) {
    fmi3ValueReference at = knowns[k];
    if (at >= FIRST_FORCE && at < FIRST_PLACE) u[at - FIRST_FORCE] = seed[k];
    else if (at >= FIRST_STATE && at < FIRST_RATE) y[at - FIRST_STATE] = seed[k];
    else return failed(unit, "derivatives are known by states, forces and sizes");
  }
  korba_pushforward(
      unit->state, &unit->own.t, unit->own.u, nothing, y, t, u, nothing, rates, places);
  for (size_t k = 0; k < results; k++) {
    fmi3ValueReference at = unknowns[k];
    if (at >= FIRST_PLACE && at < END) sensitivity[k] = places[at - FIRST_PLACE];
    else if (at >= FIRST_RATE && at < FIRST_FORCE) sensitivity[k] = rates[at - FIRST_RATE];
    else if (at >= FIRST_STATE && at < FIRST_RATE) sensitivity[k] = y[at - FIRST_STATE];
    else return failed(unit, "derivatives are known of states, their rates and points");
  }
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3GetAdjointDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t results,
    const fmi3ValueReference knowns[], size_t count, const fmi3Float64 seed[], size_t seeds,
    fmi3Float64 sensitivity[], size_t room) {
  Unit *unit = instance;
  double own[ELEMENTS] = {0.0}, rates[ELEMENTS] = {0.0}, places[PLACES + 1] = {0.0};
  double y[ELEMENTS], t[1], u[CLOCK + 1], none[1];
  if (seeds != results || room != count) return failed(unit, "every variable has one value");
  if (evaluate(unit) != fmi3OK) return fmi3Error;
  for (size_t k = 0; k < results; k++) {
    fmi3ValueReference at = unknowns[k];
    if (at >= FIRST_PLACE && at < END) places[at - FIRST_PLACE] = seed[k];
    else if (at >= FIRST_RATE && at < FIRST_FORCE) rates[at - FIRST_RATE] = seed[k];
    else if (at >= FIRST_STATE && at < FIRST_RATE) own[at - FIRST_STATE] = seed[k];
    else return failed(unit, "derivatives are known of states, their rates and points");
  }
  korba_pullback(unit->state, &unit->own.t, unit->own.u, nothing, rates, places, y, t, u, none);
  for (size_t k = 0; k < count; k++) {
    fmi3ValueReference at = knowns[k];
    if (at >= FIRST_FORCE && at < FIRST_PLACE) sensitivity[k] = u[at - FIRST_FORCE];
    else if (at >= FIRST_STATE && at < FIRST_RATE)
      sensitivity[k] = y[at - FIRST_STATE] + own[at - FIRST_STATE];
    else return failed(unit, "derivatives are known by states, forces and sizes");
  }
  return fmi3OK;
}

/* the state of a unit as a whole */

FMI_EXPORT fmi3Status FMI(fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState *state) {
  Unit *unit = instance;
  if (!*state) *state = malloc(sizeof(Memory));
  if (!*state) return failed(unit, "there is no memory for a state");
  memcpy(*state, &unit->own, sizeof(Memory));
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state) {
  Unit *unit = instance;
  Memory kept;
  if (state) memcpy(&kept, state, sizeof(Memory));
  if (!state || !is_state(&kept)) return failed(unit, "this is no state of this unit");
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
  *size = sizeof(Memory);
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3SerializeFMUState)(
    fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  if (size < sizeof(Memory)) return failed(instance, "there is too little room for the state");
  memcpy(bytes, state, sizeof(Memory));
  return fmi3OK;
}

FMI_EXPORT fmi3Status FMI(fmi3DeserializeFMUState)(
    fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
  Memory kept;
  if (size == sizeof(Memory)) memcpy(&kept, bytes, sizeof(Memory));
  if (size != sizeof(Memory) || !is_state(&kept))
    return failed(instance, "this is no state of this unit");
  if (!*state) *state = malloc(sizeof(Memory));
  if (!*state) return failed(instance, "there is no memory for a state");
  memcpy(*state, bytes, sizeof(Memory));
  return fmi3OK;
}

/* what a mechanism does not have: variables of other types, clocks, partitions */

#define ABSENT(name, type) \
  FMI_EXPORT fmi3Status FMI(fmi3Get##name)( \
      fmi3Instance instance, const fmi3ValueReference references[], size_t count, type values[], \
      size_t room) { \
    (void)references, (void)values, (void)room; \
    return count ? failed(instance, "there is no variable of type " #name) : fmi3OK; \
  } \
  FMI_EXPORT fmi3Status FMI(fmi3Set##name)( \
      fmi3Instance instance, const fmi3ValueReference references[], size_t count, \
      const type values[], size_t room) { \
    (void)references, (void)values, (void)room; \
    return count ? failed(instance, "there is no variable of type " #name) : fmi3OK; \
  }
ABSENT(Float32, fmi3Float32)
ABSENT(Int8, fmi3Int8)
ABSENT(UInt8, fmi3UInt8)
ABSENT(Int16, fmi3Int16)
ABSENT(UInt16, fmi3UInt16)
ABSENT(Int32, fmi3Int32)
ABSENT(UInt32, fmi3UInt32)
ABSENT(Int64, fmi3Int64)
ABSENT(UInt64, fmi3UInt64)
ABSENT(Boolean, fmi3Boolean)
ABSENT(String, fmi3String)

#define REFUSED(name, ...) \
  FMI_EXPORT fmi3Status FMI(name)(fmi3Instance instance, __VA_ARGS__) { \
    UNUSED; \
    return failed(instance, #name " is not provided"); \
  }
#define LISTED const fmi3ValueReference references[], size_t count
#define UNUSED (void)references, (void)count, (void)a, (void)b, (void)c
REFUSED(fmi3GetBinary, LISTED, size_t a[], fmi3Binary b[], size_t c)
REFUSED(fmi3SetBinary, LISTED, const size_t a[], const fmi3Binary b[], size_t c)
REFUSED(fmi3GetIntervalFraction, LISTED, fmi3UInt64 a[], fmi3UInt64 b[], fmi3IntervalQualifier c[])
#undef UNUSED
#define UNUSED (void)references, (void)count, (void)a, (void)b
REFUSED(fmi3GetIntervalDecimal, LISTED, fmi3Float64 a[], fmi3IntervalQualifier b[])
REFUSED(fmi3GetShiftFraction, LISTED, fmi3UInt64 a[], fmi3UInt64 b[])
REFUSED(fmi3SetIntervalFraction, LISTED, const fmi3UInt64 a[], const fmi3UInt64 b[])
REFUSED(fmi3SetShiftFraction, LISTED, const fmi3UInt64 a[], const fmi3UInt64 b[])
#undef UNUSED
#define UNUSED (void)references, (void)count, (void)a
REFUSED(fmi3GetClock, LISTED, fmi3Clock a[])
REFUSED(fmi3SetClock, LISTED, const fmi3Clock a[])
REFUSED(fmi3GetShiftDecimal, LISTED, fmi3Float64 a[])
REFUSED(fmi3SetIntervalDecimal, LISTED, const fmi3Float64 a[])
REFUSED(fmi3SetShiftDecimal, LISTED, const fmi3Float64 a[])
#undef UNUSED
#define UNUSED (void)a, (void)b
REFUSED(fmi3GetNumberOfVariableDependencies, fmi3ValueReference a, size_t *b)
REFUSED(fmi3ActivateModelPartition, fmi3ValueReference a, fmi3Float64 b)
#undef UNUSED
#define UNUSED (void)a, (void)b, (void)c, (void)d, (void)e, (void)f
REFUSED(fmi3GetVariableDependencies, fmi3ValueReference a, size_t b[], fmi3ValueReference c[],
        size_t d[], fmi3DependencyKind e[], size_t f)
