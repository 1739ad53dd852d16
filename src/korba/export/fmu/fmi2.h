/* The types of the Functional Mock-up Interface 2.0 (fmi-standard.org) that a unit needs. */
#ifndef KORBA_FMI2_H
#define KORBA_FMI2_H

#include <stddef.h>

typedef void *fmi2Component;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated };

typedef struct {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

typedef struct {
  void (*logger)(void *, fmi2String name, fmi2Status, fmi2String category, fmi2String message, ...);
  void *(*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void *);
  void (*stepFinished)(void *, fmi2Status);
  void *componentEnvironment;
} fmi2CallbackFunctions;

/* A unit that is linked statically has its functions under a prefix. */
#ifndef FMI2_FUNCTION_PREFIX
#define FMI2_FUNCTION_PREFIX
#endif
#define FMI2(name) KORBA_NAMED(FMI2_FUNCTION_PREFIX, name)

#if defined(_WIN32)
#define FMI2_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI2_EXPORT __attribute__((visibility("default")))
#else
#define FMI2_EXPORT
#endif

#endif
