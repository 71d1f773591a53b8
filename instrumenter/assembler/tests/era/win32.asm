; A window in Win32, in the style of early iczelion-like tutorials
.386
.model flat,stdcall
option casemap:none
WinMain proto :DWORD,:DWORD,:DWORD,:DWORD
includelib user32.lib
includelib kernel32.lib
HINSTANCE typedef DWORD
HWND typedef DWORD
LPSTR typedef DWORD
WPARAM typedef DWORD
LPARAM typedef DWORD
UINT typedef DWORD
WNDCLASSEX STRUCT
  cbSize DWORD ?
  style DWORD ?
  lpfnWndProc DWORD ?
  cbClsExtra DWORD ?
  cbWndExtra DWORD ?
  hInstance DWORD ?
  hIcon DWORD ?
  hCursor DWORD ?
  hbrBackground DWORD ?
  lpszMenuName DWORD ?
  lpszClassName DWORD ?
  hIconSm DWORD ?
WNDCLASSEX ENDS
POINT STRUCT
  x DWORD ?
  y DWORD ?
POINT ENDS
MSG STRUCT
  hwnd DWORD ?
  message DWORD ?
  wParam DWORD ?
  lParam DWORD ?
  time DWORD ?
  pt POINT <>
MSG ENDS
NULL equ 0
TRUE equ 1
WM_DESTROY equ 2h
CS_HREDRAW equ 2h
CS_VREDRAW equ 1h
CW_USEDEFAULT equ 80000000h
WS_OVERLAPPEDWINDOW equ 0CF0000h
MB_OK equ 0
RGB macro red,green,blue
        xor eax,eax
        mov ah,blue
        shl eax,8
        mov ah,green
        mov al,red
endm
szText MACRO Name, Text:VARARG
  LOCAL lbl
    jmp lbl
      Name db Text,0
    lbl:
ENDM
return MACRO arg
        mov eax, arg
        ret
ENDM
m2m MACRO M1, M2
        push M2
        pop  M1
ENDM
GetModuleHandleA PROTO :DWORD
GetModuleHandle equ <GetModuleHandleA>
ExitProcess PROTO :DWORD
RegisterClassExA PROTO :DWORD
CreateWindowExA PROTO :DWORD,:DWORD,:DWORD,:DWORD,:DWORD,:DWORD,:DWORD,:DWORD,:DWORD,:DWORD,:DWORD,:DWORD
GetMessageA PROTO :DWORD,:DWORD,:DWORD,:DWORD
DispatchMessageA PROTO :DWORD
PostQuitMessage PROTO :DWORD
DefWindowProcA PROTO :DWORD,:DWORD,:DWORD,:DWORD
MessageBoxA PROTO :DWORD,:DWORD,:DWORD,:DWORD
wsprintfA PROTO C :DWORD,:VARARG
.data
ClassName db "SimpleWinClass",0
;= 53696d706c6557696e436c61737300
AppName db "Our First Window",0
;= 4f75722046697273742057696e646f7700
fmt db "%lu, %s",0
;= 256c752c20257300
.data?
hInstance HINSTANCE ?
;= 00000000
CommandLine LPSTR ?
;= 00000000
buf db 64 dup(?)
;= 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
.code
start:
    invoke GetModuleHandle, NULL
;= 6a00e800000000
    mov hInstance,eax
;= a300304000
    invoke WinMain, hInstance,NULL,CommandLine, 10
;= 6a0aff35043040006a00ff3500304000e806000000
    invoke ExitProcess,eax
;= 50e800000000
WinMain proc hInst:HINSTANCE,hPrevInst:HINSTANCE,CmdLine:LPSTR,CmdShow:DWORD
    LOCAL wc:WNDCLASSEX
    LOCAL msg:MSG
    LOCAL hwnd:HWND
    mov wc.cbSize,SIZEOF WNDCLASSEX
;= 558bec83ec50c745d030000000
    mov wc.style, CS_HREDRAW or CS_VREDRAW
;= c745d403000000
    mov wc.lpfnWndProc, OFFSET WndProc
;= c745d8c5104000
    mov wc.cbClsExtra,NULL
;= c745dc00000000
    push hInst
;= ff7508
    pop wc.hInstance
;= 8f45e4
    m2m wc.hIcon, hInstance
;= ff35003040008f45e8
    mov wc.lpszClassName,OFFSET ClassName
;= c745f800204000
    invoke RegisterClassExA, addr wc
;= 8d45d050e800000000
    invoke CreateWindowExA,NULL,ADDR ClassName,ADDR AppName,\
;= 6a00ff75086a006a006800000080680000008068000000806800000080680000cf00680f20400068002040006a00e800000000
           WS_OVERLAPPEDWINDOW,CW_USEDEFAULT,\
           CW_USEDEFAULT,CW_USEDEFAULT,CW_USEDEFAULT,NULL,NULL,\
           hInst,NULL
    mov hwnd,eax
;= 8945b0
    .WHILE TRUE
;= eb1c
        invoke GetMessageA, ADDR msg,NULL,0,0
;= 6a006a006a008d45b450e800000000
        .BREAK .IF (!eax)
;= 0bc0740b
        invoke DispatchMessageA, ADDR msg
;= 8d45b450e800000000
    .ENDW
;= ebe2
    mov eax,msg.wParam
;= 8b45bc
    ret
;= c9c21000
WinMain endp
WndProc proc uses ebx hWnd:HWND, uMsg:UINT, wParam:WPARAM, lParam:LPARAM
    LOCAL rect[4]:DWORD
    .IF uMsg==WM_DESTROY
;= 558bec83ec1053837d0c027509
        invoke PostQuitMessage,NULL
;= 6a00e800000000
    .ELSEIF uMsg==201h && wParam
;= eb79817d0c01020000755a837d10007454
        mov eax,lParam
;= 8b4514
        and eax,0FFFFh
;= 25ffff0000
        mov rect[0],eax
;= 8945f0
        RGB 10,20,30
;= 33c0b41ec1e008b414b00a
        invoke wsprintfA, ADDR buf, ADDR fmt, eax, OFFSET AppName
;= 680f2040005068202040006808304000e80000000083c410
        szText title1,"Hit"
;= eb0448697400
        invoke MessageBoxA, hWnd, ADDR buf, ADDR title1, MB_OK
;= 6a00681a1140006808304000ff7508e800000000
        return 0
;= b8000000005bc9c21000
    .ELSE
;= eb16
        invoke DefWindowProcA,hWnd,uMsg,wParam,lParam
;= ff7514ff7510ff750cff7508e800000000
        ret
;= 5bc9c21000
    .ENDIF
    xor eax,eax
;= 33c0
    ret
;= 5bc9c21000
WndProc endp
end start
