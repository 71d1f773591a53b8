; Numbers in every notation, and operators on 64 bits.
bits 32
section .data
        db 0x1F, 1Fh, 0h1F, 0b1010_1010, 1010b, 10y, 17o, 17q, 0o17, 0q17, 12d, 0d12, 12t, 0t12
        dw 1_000, 0FFFFh, $0F0, -1, 0hFF
        dd 0x1234_5678, 0b11, 1 << 31, ~0, -5, +7, 0b1h
        dd 7 / 2, 7 % 4, -7 // 2, -7 %% 4, (-8) >> 60, 1 | 6 ^ 3 & 2, 2 + 3 * 4 - 1
        dd 3 = 3, 3 == 4, 3 != 4, 3 <> 3, 2 < 3, 3 <= 3, 4 > 5, 4 >= 4
        dd 1 && 2, 1 && 0, 0 || 5, 0 || 0, 1 ^^ 1, 1 ^^ 0, !5, !0
        dd 'a', 'ab', 'abc', 'abcd', "xy" + 1
        dq 0x123456789ABCDEF0, -1, 10 * 10
        dd 1.5, -2.25, 1e3, 1.0e-3, 3.
        dq 1.5, -1e10, 0.1
        dt 1.5, -0.5
        dw 'a', 'ab', 'abc'
        dd 'hello'
        db 'It', "'s", `\t\x41\101\\\`\0`
        times 3 db 1, 2
        times 4 dw 0x55AA
section .text
_start: mov eax, 0x10
        mov ecx, 1 << 4 | 3
        add edx, 'x'
        ret
