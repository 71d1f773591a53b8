; Changing one half of the event select register preserves the other half, and bits 9 to 15 of its own half.
; expect stop = return
; expect before = 0000FE28h
; expect after = 0416FE28h
; expect other_half = 0416FE57h
.586
.model flat
.data
before     dd 0
after      dd 0
other_half dd 0
.code
select macro counter, event
    mov ecx,11h
    rdmsr
    if counter
        and eax,0FE00FFFFh
        or eax,(event) shl 16
    else
        and eax,0FFFFFE00h
        or eax,event
    endif
    wrmsr
endm
start:
    mov ecx,11h
    mov eax,0FE28h
    xor edx,edx
    wrmsr
    rdmsr
    mov before,eax
    mov eax,0400FE28h
    wrmsr
    select 1,16h
    rdmsr
    mov after,eax
    select 0,57h
    rdmsr
    mov other_half,eax
    ret
end start
