; Bytes and words.
        StartTSC of_bytes
        inc al
        inc bl
        inc cl
        inc dl
        EndTSC

        StartTSC of_words
        inc ax
        inc bx
        inc cx
        inc dx
        EndTSC
