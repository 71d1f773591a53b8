; What is left of a region with nothing in it?
        StartTSC no_clocks
        EndTSC

        StartProfile EV_INSTRUCTIONS_EXECUTED, EV_DATA_WRITE, no_events
        EndProfile
