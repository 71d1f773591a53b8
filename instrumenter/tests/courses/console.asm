; A program that declares what it calls of Windows.
.386
.model flat, stdcall
.stack 4096
option casemap:none
GetStdHandle  PROTO, which:DWORD
WriteConsoleA PROTO, handle:DWORD, buffer:PTR BYTE, count:DWORD, written:PTR DWORD, reserved:DWORD
ReadConsoleA  PROTO, handle:DWORD, buffer:PTR BYTE, count:DWORD, got:PTR DWORD, reserved:DWORD
WriteFile     PROTO, handle:DWORD, buffer:PTR BYTE, count:DWORD, written:PTR DWORD, reserved:DWORD
ExitProcess   PROTO, dwExitCode:DWORD

.data
message BYTE "Hello, ", 0
buffer  BYTE 40 DUP(0)
handle  DWORD ?
count   DWORD ?

.code
main PROC
        INVOKE  GetStdHandle, -11
        mov     handle, eax
        INVOKE  WriteConsoleA, handle, ADDR message, LENGTHOF message - 1, ADDR count, 0
        INVOKE  GetStdHandle, -10
        INVOKE  ReadConsoleA, eax, ADDR buffer, SIZEOF buffer, ADDR count, 0
        INVOKE  WriteFile, handle, ADDR buffer, count, 0, 0
        mov     ebx, eax
        INVOKE  GetStdHandle, -13
        add     ebx, eax
        INVOKE  ExitProcess, ebx
main ENDP
END main
