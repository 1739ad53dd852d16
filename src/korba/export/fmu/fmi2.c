/* A mechanism as a unit of FMI 2.0: its functions around those of FMI 3.0 (unit.c), which stay
 * inside.
 *
 * References of variables are the same in both. What FMI 2.0 says at other times is kept until it
 * is asked for: the start of the experiment.
 */
#define FMI_EXPORT
#include "unit.c"

#include "fmi2.h"

typedef struct {
  fmi3Instance unit;
  const fmi2CallbackFunctions *callbacks;
  double start, tolerance;
  char name[1];
} korba_Component;

static void korba_logged(
    fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
    fmi3String message) {
  korba_Component *own = environment;
  if (own->callbacks && own->callbacks->logger)
    own->callbacks->logger(
        own->callbacks->componentEnvironment, own->name, (fmi2Status)status, category, "%s",
        message);
}

#define KORBA_UNIT (((korba_Component *)c)->unit)
#define KORBA_REFUSAL(message) ((fmi2Status)korba_failed(KORBA_UNIT, message))
#define KORBA_NONE(count) \
  ((count) ? KORBA_REFUSAL("a mechanism has real numbers only") : fmi2OK)

FMI2_EXPORT const char *FMI2(fmi2GetTypesPlatform)(void) { return "default"; }

FMI2_EXPORT const char *FMI2(fmi2GetVersion)(void) { return "2.0"; }

FMI2_EXPORT fmi2Component FMI2(fmi2Instantiate)(
    fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
    const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging) {
  size_t length = name ? strlen(name) : 0;
  korba_Component *own = calloc(1, sizeof(korba_Component) + length);
  (void)resources, (void)visible, (void)logging;
  if (!own) return NULL;
  own->callbacks = callbacks;
  if (length) memcpy(own->name, name, length);
  own->unit = korba_instantiated(guid, own, korba_logged);
  if (!own->unit) {
    free(own);
    return NULL;
  }
  ((korba_Unit *)own->unit)->own.steps = type == fmi2CoSimulation;
  return own;
}

FMI2_EXPORT void FMI2(fmi2FreeInstance)(fmi2Component c) {
  if (c) FMI(fmi3FreeInstance)(KORBA_UNIT);
  free(c);
}

FMI2_EXPORT fmi2Status FMI2(fmi2SetDebugLogging)(
    fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]) {
  (void)c, (void)on, (void)count, (void)categories;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status FMI2(fmi2SetupExperiment)(
    fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance, fmi2Real start,
    fmi2Boolean has_stop, fmi2Real stop) {
  korba_Component *own = c;
  (void)has_stop, (void)stop;
  own->tolerance = has_tolerance ? tolerance : 0.0;
  own->start = start;
  return fmi2OK;
}

FMI2_EXPORT fmi2Status FMI2(fmi2EnterInitializationMode)(fmi2Component c) {
  korba_Component *own = c;
  return (fmi2Status)FMI(fmi3EnterInitializationMode)(
      KORBA_UNIT, own->tolerance > 0.0, own->tolerance, own->start, false, 0.0);
}

FMI2_EXPORT fmi2Status FMI2(fmi2ExitInitializationMode)(fmi2Component c) {
  return (fmi2Status)FMI(fmi3ExitInitializationMode)(KORBA_UNIT);
}

#define KORBA_ACCEPTED2(name) \
  FMI2_EXPORT fmi2Status FMI2(name)(fmi2Component c) { (void)c; return fmi2OK; }
KORBA_ACCEPTED2(fmi2Terminate)
KORBA_ACCEPTED2(fmi2EnterEventMode)
KORBA_ACCEPTED2(fmi2EnterContinuousTimeMode)

FMI2_EXPORT fmi2Status FMI2(fmi2Reset)(fmi2Component c) {
  return (fmi2Status)FMI(fmi3Reset)(KORBA_UNIT);
}

/* variables */

FMI2_EXPORT fmi2Status FMI2(fmi2GetReal)(
    fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
  return (fmi2Status)FMI(fmi3GetFloat64)(KORBA_UNIT, references, count, values, count);
}

FMI2_EXPORT fmi2Status FMI2(fmi2SetReal)(
    fmi2Component c, const fmi2ValueReference references[], size_t count,
    const fmi2Real values[]) {
  return (fmi2Status)FMI(fmi3SetFloat64)(KORBA_UNIT, references, count, values, count);
}

#define KORBA_ABSENT2(name, type) \
  FMI2_EXPORT fmi2Status FMI2(fmi2Get##name)( \
      fmi2Component c, const fmi2ValueReference references[], size_t count, type values[]) { \
    (void)references, (void)values; \
    return KORBA_NONE(count); \
  } \
  FMI2_EXPORT fmi2Status FMI2(fmi2Set##name)( \
      fmi2Component c, const fmi2ValueReference references[], size_t count, \
      const type values[]) { \
    (void)references, (void)values; \
    return KORBA_NONE(count); \
  }
KORBA_ABSENT2(Integer, fmi2Integer)
KORBA_ABSENT2(Boolean, fmi2Boolean)
KORBA_ABSENT2(String, fmi2String)

/* model exchange */

FMI2_EXPORT fmi2Status FMI2(fmi2SetTime)(fmi2Component c, fmi2Real t) {
  return (fmi2Status)FMI(fmi3SetTime)(KORBA_UNIT, t);
}

FMI2_EXPORT fmi2Status FMI2(fmi2SetContinuousStates)(
    fmi2Component c, const fmi2Real states[], size_t count) {
  return (fmi2Status)FMI(fmi3SetContinuousStates)(KORBA_UNIT, states, count);
}

FMI2_EXPORT fmi2Status FMI2(fmi2GetContinuousStates)(
    fmi2Component c, fmi2Real states[], size_t count) {
  return (fmi2Status)FMI(fmi3GetContinuousStates)(KORBA_UNIT, states, count);
}

FMI2_EXPORT fmi2Status FMI2(fmi2GetDerivatives)(fmi2Component c, fmi2Real rates[], size_t count) {
  return (fmi2Status)FMI(fmi3GetContinuousStateDerivatives)(KORBA_UNIT, rates, count);
}

FMI2_EXPORT fmi2Status FMI2(fmi2GetNominalsOfContinuousStates)(
    fmi2Component c, fmi2Real nominals[], size_t count) {
  return (fmi2Status)FMI(fmi3GetNominalsOfContinuousStates)(KORBA_UNIT, nominals, count);
}

FMI2_EXPORT fmi2Status FMI2(fmi2GetEventIndicators)(
    fmi2Component c, fmi2Real indicators[], size_t count) {
  return (fmi2Status)FMI(fmi3GetEventIndicators)(KORBA_UNIT, indicators, count);
}

FMI2_EXPORT fmi2Status FMI2(fmi2CompletedIntegratorStep)(
    fmi2Component c, fmi2Boolean no_return, fmi2Boolean *event, fmi2Boolean *terminate) {
  bool happened = false, ends = false;
  fmi3Status status = FMI(fmi3CompletedIntegratorStep)(
      KORBA_UNIT, no_return != 0, &happened, &ends);
  *event = happened;
  *terminate = ends;
  return (fmi2Status)status;
}

FMI2_EXPORT fmi2Status FMI2(fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info) {
  bool again, ends, nominals, states, timed;
  fmi3Status status = FMI(fmi3UpdateDiscreteStates)(
      KORBA_UNIT, &again, &ends, &nominals, &states, &timed, &info->nextEventTime);
  info->newDiscreteStatesNeeded = again;
  info->terminateSimulation = ends;
  info->nominalsOfContinuousStatesChanged = nominals;
  info->valuesOfContinuousStatesChanged = states;
  info->nextEventTimeDefined = timed;
  return (fmi2Status)status;
}

/* co-simulation */

FMI2_EXPORT fmi2Status FMI2(fmi2DoStep)(
    fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_return) {
  bool event, ends, early;
  double reached;
  return (fmi2Status)FMI(fmi3DoStep)(
      KORBA_UNIT, t, h, no_return != 0, &event, &ends, &early, &reached);
}

FMI2_EXPORT fmi2Status FMI2(fmi2CancelStep)(fmi2Component c) {
  return KORBA_REFUSAL("a step is never left open");
}

FMI2_EXPORT fmi2Status FMI2(fmi2SetRealInputDerivatives)(
    fmi2Component c, const fmi2ValueReference references[], size_t count,
    const fmi2Integer orders[], const fmi2Real values[]) {
  (void)references, (void)orders, (void)values;
  return count ? KORBA_REFUSAL("derivatives of inputs are not used") : fmi2OK;
}

FMI2_EXPORT fmi2Status FMI2(fmi2GetRealOutputDerivatives)(
    fmi2Component c, const fmi2ValueReference references[], size_t count,
    const fmi2Integer orders[], fmi2Real values[]) {
  return (fmi2Status)FMI(fmi3GetOutputDerivatives)(
      KORBA_UNIT, references, count, orders, values, count);
}

FMI2_EXPORT fmi2Status FMI2(fmi2GetRealStatus)(fmi2Component c, int kind, fmi2Real *value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((korba_Unit *)KORBA_UNIT)->own.t;
  return fmi2OK;
}

#define KORBA_UNKNOWN(name, type) \
  FMI2_EXPORT fmi2Status FMI2(name)(fmi2Component c, int kind, type *value) { \
    (void)c, (void)kind, (void)value; \
    return fmi2Discard; \
  }
KORBA_UNKNOWN(fmi2GetStatus, fmi2Status)
KORBA_UNKNOWN(fmi2GetIntegerStatus, fmi2Integer)
KORBA_UNKNOWN(fmi2GetBooleanStatus, fmi2Boolean)
KORBA_UNKNOWN(fmi2GetStringStatus, fmi2String)

/* derivatives, and the state as a whole */

FMI2_EXPORT fmi2Status FMI2(fmi2GetDirectionalDerivative)(
    fmi2Component c, const fmi2ValueReference unknowns[], size_t results,
    const fmi2ValueReference knowns[], size_t count, const fmi2Real seed[],
    fmi2Real sensitivity[]) {
  return (fmi2Status)FMI(fmi3GetDirectionalDerivative)(
      KORBA_UNIT, unknowns, results, knowns, count, seed, count, sensitivity, results);
}

FMI2_EXPORT fmi2Status FMI2(fmi2GetFMUstate)(fmi2Component c, void **state) {
  return (fmi2Status)FMI(fmi3GetFMUState)(KORBA_UNIT, state);
}

FMI2_EXPORT fmi2Status FMI2(fmi2SetFMUstate)(fmi2Component c, void *state) {
  return (fmi2Status)FMI(fmi3SetFMUState)(KORBA_UNIT, state);
}

FMI2_EXPORT fmi2Status FMI2(fmi2FreeFMUstate)(fmi2Component c, void **state) {
  return (fmi2Status)FMI(fmi3FreeFMUState)(KORBA_UNIT, state);
}

FMI2_EXPORT fmi2Status FMI2(fmi2SerializedFMUstateSize)(
    fmi2Component c, void *state, size_t *size) {
  return (fmi2Status)FMI(fmi3SerializedFMUStateSize)(KORBA_UNIT, state, size);
}

FMI2_EXPORT fmi2Status FMI2(fmi2SerializeFMUstate)(
    fmi2Component c, void *state, char bytes[], size_t size) {
  return (fmi2Status)FMI(fmi3SerializeFMUState)(KORBA_UNIT, state, (fmi3Byte *)bytes, size);
}

FMI2_EXPORT fmi2Status FMI2(fmi2DeSerializeFMUstate)(
    fmi2Component c, const char bytes[], size_t size, void **state) {
  return (fmi2Status)FMI(fmi3DeserializeFMUState)(KORBA_UNIT, (const fmi3Byte *)bytes, size, state);
}
