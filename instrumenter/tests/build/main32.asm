.386
.model flat
extrn _sum:near, _table:dword
public start, _result
.data
_result dd ?
where   dd _table+4
.code
start:  mov esi,offset _table
        mov ecx,3
        call _sum
        mov _result,eax
        mov eax,_table[4]
        jmp short over
over:   ret
end start
