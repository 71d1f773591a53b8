; Routines in pages of their own, more than the code TLB has entries: before the first instruction of one, a walk of the
; page tables reads from the data cache, and may evict the line that the routine then accesses.
; with runs = 1
; expect line = total: 28547 clocks, 12339 instructions, 4051 in V (32.8%), CPI 2.31
.586p
.model flat
.data
align 4096
arena dd 4096 dup(12345678h)
table label dword
 dd offset r0
 dd offset r1
 dd offset r2
 dd offset r3
 dd offset r4
 dd offset r5
 dd offset r6
 dd offset r7
 dd offset r8
 dd offset r9
 dd offset r10
 dd offset r11
 dd offset r12
 dd offset r13
 dd offset r14
 dd offset r15
 dd offset r16
 dd offset r17
 dd offset r18
 dd offset r19
 dd offset r20
 dd offset r21
 dd offset r22
 dd offset r23
 dd offset r24
 dd offset r25
 dd offset r26
 dd offset r27
 dd offset r28
 dd offset r29
 dd offset r30
 dd offset r31
 dd offset r32
 dd offset r33
 dd offset r34
 dd offset r35
 dd offset r36
 dd offset r37
 dd offset r38
 dd offset r39
.code
start: mov esi,offset arena
xor eax,eax
xor ebx,ebx
xor edx,edx
xor edi,edi
xor ebp,ebp
cld
mov ecx,30
again:
 call r36
 call r35
 call r13
 call r27
 call table[16]
 call table[60]
 call table[100]
 call r13
 call r22
 call r12
 call table[36]
 call table[140]
 call r23
 call r7
 call r2
 call table[8]
 call r26
 call r4
 call r29
 call table[16]
 call r23
 call r19
 call r18
 call r19
 dec ecx
jnz again
ret
 align 4096
 db 542 dup(90h)
r0:
 ret
 align 4096
 db 519 dup(90h)
r1:
 ret
 align 4096
 db 24 dup(90h)
r2:
x1: db 0B8h
 inc eax
 nop
 inc ebx
 inc edx
 db 66h
 nop
 jmp x3
x4 dd 99440290
x3:
 ret
 align 4096
 db 4064 dup(90h)
r3:
 ret
 align 4096
 db 0 dup(90h)
r4:
 call x5
 jmp short x6
x5: inc eax
 ret
x6:
 push ecx
x7:
 mov edi,eax
 add eax,ebx
 dec ecx
 jnz x7
 pop ecx
 ret
 align 4096
 db 1048 dup(90h)
r5:
 ret
 align 4096
 db 519 dup(90h)
r6:
 ret
 align 4096
 db 64 dup(90h)
r7:
 push ecx
 push esi
 push edi
 mov edi,offset arena+2048+20
 repe cmpsb
 pop edi
 pop esi
 pop ecx
 ret
 align 4096
 db 62 dup(90h)
r8:
 ret
 align 4096
 db 1052 dup(90h)
r9:
 push ecx
 mov ecx,20
x15:
 mov edx,[esi+192]
 add eax,edi
 nop
 dec ecx
 jnz x15
 pop ecx
 cdq
 ret
 align 4096
 db 4071 dup(90h)
r10:
 inc dword ptr arena[ebp*8+196]
 push offset x16
 ret
 nop
x16:
 add eax,edi
 test ecx,1
 jz x17+1
x17: db 0B8h
 ret
 align 4096
 db 543 dup(90h)
r11:
 ret
 align 4096
 db 71 dup(90h)
r12:
 ret
 align 4096
 db 543 dup(90h)
r13:
 call x19
 jmp short x20
x19: inc eax
 ret
x20:
 push eax
 pop ebx
 ret
 align 4096
 db 4060 dup(90h)
r14:
 ret
 align 4096
 db 4056 dup(90h)
r15:
 push edx
 pop eax
 ret
 align 4096
 db 71 dup(90h)
r16:
 ret
 align 4096
 db 0 dup(90h)
r17:
 ret
 align 4096
 db 30 dup(90h)
r18:
 pushfd
 popfd
 ret
 align 4096
 db 1024 dup(90h)
r19:
x26:
 push ecx
x27:
 pop ecx
 ret
 align 4096
 db 64 dup(90h)
r20:
 ret
 align 4096
 db 0 dup(90h)
r21:
 ret
 align 4096
 db 4064 dup(90h)
r22:
 inc x31
 jmp short x30
x31 dd 876680977
x30:
 add eax,x31
 mov edi,[esi+230]
 or ebx,edx
 xchg eax,[esi+ebp*4]
 mov word ptr [esi+ebp*4],ax
 ret
 align 4096
 db 542 dup(90h)
r23:
x32: db 0B8h
 nop
 inc ebx
 inc edx
 inc edx
 ret
 align 4096
 db 63 dup(90h)
r24:
 ret
 align 4096
 db 64 dup(90h)
r25:
 ret
 align 4096
 db 4032 dup(90h)
r26:
 ret
 align 4096
 db 542 dup(90h)
r27:
 call x34
 jmp short x35
x34: inc eax
 ret
x35:
 ret
 align 4096
 db 4056 dup(90h)
r28:
 ret
 align 4096
 db 1031 dup(90h)
r29:
 mov [esi+12],ebx
 ret
 align 4096
 db 88 dup(90h)
r30:
 ret
 align 4096
 db 1024 dup(90h)
r31:
 ret
 align 4096
 db 4056 dup(90h)
r32:
 ret
 align 4096
 db 4062 dup(90h)
r33:
 mov [esi+3422],eax
 or eax,eax
 inc x43
 jmp x42
x43 dd 895634306
x42:
 add eax,x43
 call x44
 jmp short x45
x44: inc eax
 ret
x45:
 ret
 align 4096
 db 4032 dup(90h)
r34:
 ret
 align 4096
 db 7 dup(90h)
r35:
 push offset x46
 ret
x46:
 ret
 align 4096
 db 1055 dup(90h)
r36:
 jmp short x47
x48 dd 1449612632
x47:
 ret
 align 4096
 db 512 dup(90h)
r37:
 ret
 align 4096
 db 95 dup(90h)
r38:
 ret
 align 4096
 db 542 dup(90h)
r39:
 ret
end start


