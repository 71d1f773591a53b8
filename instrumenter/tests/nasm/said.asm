; Errors and warnings of the source itself.
%define VERSION 2
%if VERSION < 3
%warning version is old
%error "version 3 is needed"
%endif
bits 32
section .text
_start: ret
