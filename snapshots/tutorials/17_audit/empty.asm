; What remains of an empty region?
        StartTSC no_clocks
        EndTSC

        StartProfile EV_INSTRUCTIONS_EXECUTED, EV_DATA_WRITE, no_events
        EndProfile
