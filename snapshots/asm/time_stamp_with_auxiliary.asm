; RDTSCP reads the time of this processor and TSC_AUX, a tag of 32 bits that only WRMSR changes. A tag that looks like
; the number of another processor, as a text has it, selects nothing: the time goes on as RDTSC reads it.
; with monitor = rdtscp
; expect stop = return
; expect tag = 16777216
; expect behind = 1
; expect invariant = 256
; expect rdtscp_bit = 134217728
; expect last_leaf = 2147483655
.586
.model flat
.data
tag        dd 0
behind     dd 0
invariant  dd 0
rdtscp_bit dd 0
last_leaf  dd 0
.code
start:
    mov eax,80000000h
    cpuid
    mov last_leaf,eax
    mov eax,80000001h
    cpuid
    mov rdtscp_bit,edx
    mov eax,80000007h
    cpuid
    mov invariant,edx
    mov ecx,0C0000103h
    mov eax,01000000h
    xor edx,edx
    wrmsr
    rdtsc
    mov esi,eax
    rdtscp
    mov tag,ecx
; What RDTSCP read lies behind what RDTSC read, by less than a hundred clocks.
    sub eax,esi
    jz done
    cmp eax,100
    setb byte ptr behind
done:
    ret
end start
