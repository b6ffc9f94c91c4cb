package drilltest

// Patience is how long a trial may take before drill looks what it waits for.
var Patience = &patience
