; Data of every size, repeated, as words and as text; operators on names.
; expect stop = return
; expect bytes = 030201h
; expect word_1 = 1234h
; expect double = 89ABCDEFh
; expect quad = 1122334455667788h
; expect sum = 55
; expect count = 10
; expect bytes_in_list = 40
; expect element = 4
; expect letter = 65
; expect last_letter = 111
; expect negative = -2
; expect octal = 8
; expect binary = 129
.586
.model flat
.data
bytes       db 1,2,3
word_1      dw 1234h
double      dd 89ABCDEFh
quad        dq 1122334455667788h
list        dd 1,2,3,4,5,6,7,8,9,10
sum         dd 0
count       dd 0
bytes_in_list dd 0
element     dd 0
letter      dd 0
last_letter dd 0
negative    dd -2
octal       dd 10o
binary      dd 10000001b
text        db 'A text, hello'
text_end    label byte
filler      dd 4 dup(?)
.code
start:
    mov ecx,lengthof list
    mov count,ecx
    mov bytes_in_list,sizeof list
    mov element,type list
    mov esi,offset list
    xor eax,eax
next:
    add eax,[esi]
    add esi,type list
    dec ecx
    jnz next
    mov sum,eax
    movzx eax,text
    mov letter,eax
    movzx eax,byte ptr text_end[-1]
    mov last_letter,eax
    ret
end start
