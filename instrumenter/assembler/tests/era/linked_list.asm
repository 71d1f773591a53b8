; TASM 3 objects, after the manual's chapter on object-oriented programming
        IDEAL
        JUMPS
        LOCALS
        MODEL   SMALL, PASCAL
        P286
STRUC   node
node_next       dw ?
node_prev       dw ?
ENDS    node
GLOBAL list METHOD {
    construct:word = list_construct
    destroy:word = list_destroy
    init:word = list_init
    deinit:word = list_deinit
    virtual insert:word = list_insert
    virtual append:word = list_append
    virtual remove:word = list_remove
    virtual first:word = list_first
    virtual last:word = list_last
    virtual next:word = list_next
    virtual prev:word = list_prev
    }
    list_head   dw ?
    list_tail   dw ?
ENDS    list
GLOBAL queue list METHOD {
    init:word = queue_init
    virtual enqueue:word = list_append
    virtual dequeue:word = queue_dequeue
    virtual insert:word = queue_insert
    }
    q_count     dw 0
ENDS    queue
        DATASEG
        TBLINST list
;= 250026002700280029002a002b00
TheList list    <>
;= 000000000000
Q1      queue   <>
;= 0000000000000000
        CODESEG
PROC    list_construct PASCAL FAR
        ARG @@list:word
        USES ds
        mov si,[@@list]
;= 558bec1e8b7606
        ret
;= 1fc9ca0200
ENDP
PROC    list_destroy PASCAL FAR
        ret
;= cb
ENDP
PROC    list_init PASCAL NEAR
        ARG @@list:dword
        USES ds,bx
        lds bx,[@@list]
;= 558bec1e53c55e04
        TBLINIT list PTR ds:bx
;= c7070000
        mov [(list PTR bx).list_head],0
;= c747020000
        ret
;= 5b1fc9c20400
ENDP
PROC    list_deinit
        ret
;= c3
ENDP
PROC    list_insert
        ret
;= c3
ENDP
PROC    list_append
        ret
;= c3
ENDP
PROC    list_remove
        ret
;= c3
ENDP
PROC    list_first
        ret
;= c3
ENDP
PROC    list_last
        ret
;= c3
ENDP
PROC    list_next
        ret
;= c3
ENDP
PROC    list_prev
        ret
;= c3
ENDP
PROC    queue_init
        ret
;= c3
ENDP
PROC    queue_dequeue
        ret
;= c3
ENDP
PROC    queue_insert
        ret
;= c3
ENDP
PROC    main
        mov     ax,@data
;= b81610
        mov     ds,ax
;= 8ed8
        lea     si,[TheList]
;= 8d360e00
        CALL    si METHOD list:init PASCAL, ds si
;= 1e56e8d0ff
        CALL    ds:si METHOD list:insert PASCAL, ds si
;= 1e568b1cff17
        CALL    TheList METHOD list:append
;= 8b1e0e00ff5702
        CALL    es:di METHOD list:remove uses ds:bx pascal,es di,es dx
;= 06570652268b1dff5704
        JMP     si METHOD list:first
;= 8b1cff6706
        call    si METHOD queue:dequeue
;= 8b1cff5710
        ret
;= c3
ENDP
        END
