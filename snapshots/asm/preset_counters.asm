; Counters have forty bits: one just below 2^32 carries into its upper part, one just below 2^40 wraps around.
; expect stop = return
; expect upper_0 = 1
; expect lower_0_small = 1
; expect upper_1 = 0
; expect lower_1_small = 1
; expect kept_upper = 255
; with runs = 2
.586
.model flat
.data
upper_0       dd 0
upper_1       dd 0
lower_0_small dd 0
lower_1_small dd 0
kept_upper    dd 0
.code
set macro register, high_part, low_part
    mov ecx,register
    mov edx,high_part
    mov eax,low_part
    wrmsr
endm
start:
    ; Disabled while the counters are set; both count instructions.
    set 11h,0,0
    set 12h,0,0FFFFFFFEh
    set 13h,0FFFFFFFFh,0FFFFFFFEh
    mov ecx,13h
    rdmsr
    mov kept_upper,edx
    set 11h,0,00560056h
    rept 20
        nop
    endm
    mov ecx,12h
    rdmsr
    mov upper_0,edx
    cmp eax,200
    setb byte ptr lower_0_small
    mov ecx,13h
    rdmsr
    mov upper_1,edx
    cmp eax,200
    setb byte ptr lower_1_small
    ret
end start
