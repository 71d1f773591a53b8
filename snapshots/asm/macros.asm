; Macros with parameters, defaults, local labels and nested calls; a macro with the name of a mnemonic.
; expect stop = return
; expect total = 21
; expect largest = 9
; expect squares = 30
; expect shadowed = 7
; expect nothing = 100
.586
.model flat
.data
total    dd 0
largest  dd 0
squares  dd 0
shadowed dd 0
nothing  dd 0
.code
add_all macro to:req, first:=<1>, others:vararg
    mov eax,first
    for number,<others>
        add eax,number
    endm
    mov to,eax
endm
larger macro left, right
    local done
    mov eax,left
    cmp eax,right
    jge done
    mov eax,right
done:
endm
square macro number
    mov eax,number
    imul eax,eax
endm
sum_of_squares macro last
    local sum
    sum = 0
    mov ebx,0
    rept last
        sum = sum+1
        square %sum
        add ebx,eax
    endm
endm
; The macro wins over the instruction of the same name.
xlatb macro
    mov shadowed,7
endm
empty_or macro value
    ifb <value>
        mov nothing,100
        exitm
    endif
    mov nothing,value
endm
start:
    add_all total,1,2,3,4,5,6
    larger 3,9
    larger eax,4
    mov largest,eax
    sum_of_squares 4
    mov squares,ebx
    xlatb
    empty_or
    ret
end start
