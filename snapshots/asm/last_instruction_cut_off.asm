; The last instruction takes bytes after the end of the program, so that zeros follow it: the fault tells its line.
; expect stop = fault 14 line 8
.586
.model flat
.code
start:      xor     ebx,ebx
            inc     ebx
            db      0B8h
            end     start
