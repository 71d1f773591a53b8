; The other module: with a longer declaration of the same data.
.model small
comm count_:word
comm buffer:byte:20
comm far distant:word:3
externdef add_one:near, seen:word
extrn step:near
public add_one
.code
add_one proc
 call step
 mov ax,seen
 add count_,ax
 mov buffer[9],33h
 mov buffer[19],44h
 mov ax,seg distant
 mov es,ax
 mov es:distant[4],1234h
 ret
add_one endp
end
