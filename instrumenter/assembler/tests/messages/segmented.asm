; What does not fit into 16-bit segments: one message each.
;---
data    segment
count   dw      1
data    ends
code    segment
        assume  cs:code
start:  mov     ax, count
;! count | no segment register is assumed to hold segment `data`
;!   = write `assume ds:data` where DS holds it, or `es:` before the operand
        ret
code    ends
        end     start
;---
data    segment
large   db      60000 dup (0)
        db      6000 dup (0)
;! db | 16-bit segment `data` is larger than 64 KiB
data    ends
        end
;---
code    segment
        assume  cs:code, ds:nowhere
;! nowhere | nothing is called `nowhere`
start:  ret
code    ends
        end     start
;---
code    segment
start:  call    other
;! other | branch target is in another segment
;!   = write `far ptr` before it, or declare its procedure `far`
        ret
code    ends
code2   segment
other:  ret
code2   ends
        end     start
;---
code    segment
start:  mov     al, ds:[12345h]
        push    12345678h
;! push | warning: the 8086 cannot push a number, and no other processor is named: this is code of the 80186
;!   = write `.186` before it; for the 8086 MASM refuses it, and TASM pushes in several instructions
        mov     ax, 70000
;! 70000 | 70000 does not fit in 16 bits
        ret
code    ends
        end     start
;---
code    segment
start:  mov     ax, code
value   =       seg start
;! seg start | the address of a segment is not known here
;!   = addresses are assigned after the last line is read
        if      value
;! value | undefined symbol `value`
        endif
        ret
code    ends
        end     start
;---
code    segment use16
code    ends
code32  segment use32
start:  ret
code32  ends
        end     start
;! start | warning: a program with 16-bit segments starts in real mode, but this is 32-bit code
;!   = start it in a 16-bit segment; from there it can enter protected mode
;---
        .model  small
        .code
        .startup
wide    segment use32
        StartTSC
;! StartTSC | regions cannot be measured in 32-bit segments of a program that starts in real mode
;!   = measure in a 16-bit segment, or make the program flat
;! StartTSC | warning: no matching `EndTSC` for this `StartTSC`
        EndTSC
;! EndTSC | regions cannot be measured in 32-bit segments of a program that starts in real mode
;!   = measure in a 16-bit segment, or make the program flat
wide    ends
        end
