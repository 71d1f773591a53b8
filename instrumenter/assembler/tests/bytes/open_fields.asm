; Fields of a structure that is still open, and of one that comes later.
data    segment
        dw      later.b
;= 0400
        mov     ax, [bx + later.b]
;= 8b4704
queue   struc
head    dd      ?
slots   dw      5 dup (?)
copy    db      (size slots) dup (?)
marks   db      length slots dup (1)
from    dw      slots
queue   ends
later   struc
a       dd      ?
b       dw      ?
later   ends
one     queue   <>
;= 00000000000000000000000000000000000000000000000001010101010400
        dw      size queue
;= 1f00
data    ends
        end
