// Package random draws schedules: faults at places that a run may or may not reach,
// one worker or two, deliveries that differ, delays just under, just over and far over
// each known deadline. rapid draws one plan; whatever fails is then made small by
// [search.Shrink], since a plan is data and drill knows what a smaller one is.
//
// [Fuzz] is the loop for the command line, [Schedules] the generator for rapid's own.
package random
