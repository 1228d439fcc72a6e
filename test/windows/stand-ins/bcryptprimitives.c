// A library of Windows that every addon in Rust loads, and Wine 8 does not have.
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *at, SIZE_T size) { return SystemFunction036(at, (ULONG)size); }
BOOL WINAPI DllMain(HINSTANCE handle, DWORD reason, LPVOID reserved) { return TRUE; }
