; What follows the end of the program is not read.
        .586
        .model  flat
        .code
;---
start:  ret
        end     start

; A remark is no loss.
;---
start:  ret
        end     start

        mov     eax,1
;! mov     eax,1 | warning: nothing after the end of the program is read
;!   = move these lines before it, or make them comments
        mov     eax,2
;---
start:  ret
        end     start
comment ~
        any text
        ~ and no more
;---
start:  ret
        end     start
        comment ~ any text ~
  nop   ; this is none
;! nop   ; this is none | warning: nothing after the end of the program is read
;!   = move these lines before it, or make them comments
;---
start:  ret
        if 1
        end     start
        endif
;---
        .mmx
mm1     dd 5
;! mm1 | `mm1` is a register and cannot be defined
start:  ret
        end     start
