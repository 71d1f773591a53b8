; Lines of a flat module.
.386
.model flat
includelib libc.lib
public sum
.data
total   dd 0
.code
sum:    mov eax,[total]
        rept 2
        inc eax
        endm
        ret
end
