; Events of regions: each one that is wrong, where it is.
;---
        StartProfile a, b
;! a | unknown event `a`
;!   = `p5inst events` lists the events
;! b | unknown event `b`
;!   = `p5inst events` lists the events
        EndProfile
;---
        StartProfile EV_FLOP, EV_AGI_STALL + COUNT_CYCLE ; two
;! EV_FLOP | unknown event `EV_FLOP`
;!   = did you mean `EV_FLOPS`?
;! EV_AGI_STALL | unknown event `EV_AGI_STALL`
;!   = did you mean `EV_AGI_STALLS`?
        EndProfile
;---
        SetMSRTimers 3Fh, <none>
;! 3Fh | counter 0 of the Pentium 75-200 (P54C) counts no event 3Fh
;!   = `p5inst events` lists the events
;! <none> | unknown event `none`
;!   = `p5inst events` lists the events
;---
        StartProfile EV_PIPELINE_AGI_STALLS, EV_AGI_STALLS + COUNT_CYCLE
;! EV_PIPELINE_AGI_STALLS | unknown event `EV_PIPELINE_AGI_STALLS`
;!   = did you mean `EV_AGI_STALLS`?
;! COUNT_CYCLE | unknown constant `COUNT_CYCLE`
;!   = did you mean `COUNT_CYCLES`?
        EndProfile
;---
        StartProfile EV_INSTRUCTIONS_EXECUTED_IN_V, EV_AGI_STALLS
;! EV_INSTRUCTIONS_EXECUTED_IN_V | unknown event `EV_INSTRUCTIONS_EXECUTED_IN_V`
;!   = did you mean `EV_INSTRUCTIONS_EXECUTED_V_PIPE`?
        EndProfile
;---
        StartProfile EV_FLOPS, EV_BRANCHES, name, EV_AGI_STALLS
;! EV_AGI_STALLS | `EV_AGI_STALLS` is not counted: there are two counters
;!   = count it in a run of its own; the third argument names the region
        EndProfile
;---
