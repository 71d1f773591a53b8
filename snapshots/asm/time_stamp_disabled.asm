; With bit 2 of CR4 set, the time stamp counter is readable at privilege level 0 only, where it still counts.
; expect stop = return
; expect counted = 1
; expect upper = 0
.586
.model flat
.data
counted dd 0
upper   dd 0
first   dd 0
.code
start:
    mov eax,cr4
    or eax,4
    mov cr4,eax
    rdtsc
    mov first,eax
    rdtsc
    mov upper,edx
    cmp eax,first
    seta byte ptr counted
    ret
end start
