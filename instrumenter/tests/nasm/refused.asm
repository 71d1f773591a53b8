; What is not supported, each refused in its line.
bits 32
%push context
%use smartalign
section .data vstart=100h
        absolute 100h
        common room 4
        do 1
section .text
_start: mov eax, [byte ebx + 4]
        a16 lodsb
        mov eax, nothing wrt ..got
%ifctx context
%endif
        bits 16
