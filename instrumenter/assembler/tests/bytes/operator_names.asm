; Constants that are called as operators are: a program that defines the name means its own.
        .386
        .model flat
size    equ 4096
high    equ 7
        .code
        mov ecx,size
;= b900100000
        mov edx,size/2
;= ba00080000
        mov eax,size-1
;= b8ff0f0000
        mov eax,size shr 4
;= b800010000
        mov al,high
;= b007
        mov eax,(size*2)
;= b800200000
        end
