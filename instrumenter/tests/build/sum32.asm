.386
.model flat
public _sum, _table
.data
_table  dd 3,5,7
.code
_sum:   xor eax,eax
next:   add eax,[esi]
        add esi,4
        dec ecx
        jnz next
        ret
end
