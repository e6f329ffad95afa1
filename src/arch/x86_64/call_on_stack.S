// SPDX-License-Identifier: Apache-2.0
// A call on another stack, for x86_64; contract: arch/signal_frame.h.
    .text

// void weft_call_on_stack(void (*function)(void*), void* argument, void* top)
// Unwinders find the caller's frame by the frame pointer.
    .globl  weft_call_on_stack
    .hidden weft_call_on_stack
    .type   weft_call_on_stack, @function
    .p2align 4
weft_call_on_stack:
    .cfi_startproc
    endbr64
    pushq   %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq    %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq    %rdx, %rsp
    movq    %rdi, %rax
    movq    %rsi, %rdi
    callq   *%rax
    movq    %rbp, %rsp
    popq    %rbp
    .cfi_def_cfa %rsp, 8
    retq
    .cfi_endproc
    .size   weft_call_on_stack, . - weft_call_on_stack

    .section .note.GNU-stack, "", @progbits
