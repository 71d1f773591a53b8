; Of two names at one address the one with more bytes is told.
; expect line = arr: 100 elements of 100 changed; arr[0] = 1, was 0
.586
.model flat
.data
head label byte
arr dd 100 dup(0)
.code
start:
 mov edi,offset arr
 mov ecx,100
 mov eax,1
 rep stosd
 ret
end start
