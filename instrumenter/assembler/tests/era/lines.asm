.586P
.8087
CODE SEGMENT PUBLIC USE32 'DATA'
ASSUME cs:CODE,ds:CODE
EXTRN _asm1 : dword
EXTRN _asm2 : dword
EXTRN _globalx3 : dword
EXTRN _fpuasm : dword
EXTRN _ylookup : near
EXTRN _sqrtable : near
ALIGN 16
PUBLIC sethlinesizes_
sethlinesizes_:
        mov byte ptr [hmach3a+2], al
;= a26f104000
        mov byte ptr [hmach3b+2], al
;= a272104000
        neg al
;= f6d8
        mov byte ptr [hmach2a+2], al
;= a239104000
        mov byte ptr hmach2b[2], bl
;= 881d3c104000
        mov dword ptr [hmach4+3], ecx
;= 890d85104000
        ret
;= c3
ALIGN 16
;= 9090
PUBLIC hlineasm4_
hlineasm4_:
        push ebp
;= 55
        lea ebp, [eax+1]
;= 8d6801
        cmp ebp, 8
;= 83fd08
        jle near ptr shorthline
;= 0f8e9f000000
        test edi, 1
;= f7c701000000
        jnz short skipthe1byte
;= 7538
        mov eax, esi
;= 8bc6
hmach2a: shr eax, 26
;= c1e81a
hmach2b: shld eax, esi, 6
;= 0fa4f006
        add eax, dword ptr _sqrtable[ebx*4]
;= 03049d00000000
        mov edx, dword ptr _ylookup[eax*4]
;= 8b148500000000
        mov eax, dword ptr _ylookup[eax*4+4]
;= 8b048504000000
        fild dword ptr [_asm1]
;= db0500000000
        fstp qword ptr [_fpuasm]
;= dd1d00000000
        fadd dword ptr [esp-4]
;= d84424fc
        fld st(0)
;= d9c0
        fmul st,st(2)
;= d8ca
        faddp st(1),st
;= dec1
        fcomp
;= d8d9
        fnstsw ax
;= dfe0
skipthe1byte:
hmach3a: rol eax, 6
;= c1c006
hmach3b: and eax, 0FFh
;= 25ff000000
        db 0dh dup(90h)
;= 90909090909090909090909090
hmach4: mov al, byte ptr [ebx+88888888h]
;= 8a8388888888
        movzx ebx, byte ptr [eax][ecx+0x88]
;= 0fb69c0888000000
        xor eax, 088888888h
;= 3588888888
        cmp dword ptr [_asm2], 0
;= 833d0000000000
        jz shorthline
;= 742e
        db 0c1h, 0f8h ;sar eax, 88h
;= c1f8
smach1: db 88h
;= 88
        mov [esp+8-12], eax
;= 894424fc
        mov eax, dword ptr ds:[_globalx3]
;= a100000000
        lea ecx, [ecx+ecx*8]
;= 8d0cc9
        lea ebx, [eax*4]
;= 8d1c8500000000
        lea ebx, [eax*2+ebx]
;= 8d1c43
        lea edi, [4*eax+_ylookup]
;= 8d3c8500000000
        rdtsc
;= 0f31
        bswap eax
;= 0fc8
        cmpxchg [ebx], ecx
;= 0fb10b
        xadd ebx, eax
;= 0fc1c3
        wbinvd
;= 0f09
        cpuid
;= 0fa2
shorthline:
        pop ebp
;= 5d
        ret
;= c3
CODE ENDS
END
