.386
.model flat
comm _count:dword
comm _buffer:byte:10
externdef _twice:near, _first:dword
.data
_first dd 21
.code
_twice proc
 mov eax,_first
 add eax,eax
 mov _count,eax
 mov byte ptr _buffer[9],al
 ret
_twice endp
end
