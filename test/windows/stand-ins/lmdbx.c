// Stands in for three functions of ntdll that LMDB looks up by name: "NTDLL.DLL" in a copy of its addon is patched to "LMDBX.DLL".
// Windows lets a view of a file grow with the file. Wine refuses a view larger than its file, so the file is extended first.
// Also a Node addon, so that process.dlopen() keeps it loaded.
#include <windows.h>

typedef LONG NTSTATUS;
typedef NTSTATUS(NTAPI *CreateSection)(PHANDLE, ACCESS_MASK, void *, PLARGE_INTEGER, ULONG, ULONG, HANDLE);
typedef NTSTATUS(NTAPI *MapView)(HANDLE, HANDLE, PVOID *, ULONG_PTR, SIZE_T, PLARGE_INTEGER, PSIZE_T, int, ULONG, ULONG);
typedef NTSTATUS(NTAPI *Close)(HANDLE);

static void *real(const char *name) { return (void *)GetProcAddress(GetModuleHandleW(L"ntdll.dll"), name); }

// In Wine every page of a view of a file is committed already, and committing it again fails.
static LPVOID WINAPI commit(LPVOID at, SIZE_T size, DWORD type, DWORD protection) {
  LPVOID result = VirtualAlloc(at, size, type, protection);
  return result || type != MEM_COMMIT || GetLastError() != ERROR_ACCESS_DENIED ? result : at;
}

// Lets the module of a caller use commit() in place of VirtualAlloc().
static void redirect(void *caller) {
  HMODULE module;
  const DWORD from_address = 4, unchanged_count = 2;
  if (!GetModuleHandleExW(from_address | unchanged_count, caller, &module)) return;
  BYTE *base = (BYTE *)module;
  IMAGE_NT_HEADERS64 *headers = (void *)(base + ((IMAGE_DOS_HEADER *)base)->e_lfanew);
  IMAGE_IMPORT_DESCRIPTOR *import = (void *)(base + headers->OptionalHeader.DataDirectory[1].VirtualAddress);
  void *original = (void *)GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "VirtualAlloc");
  for (; import->Name; import++)
    for (void **slot = (void **)(base + import->FirstThunk); *slot; slot++)
      if (*slot == original) {
        DWORD protection;
        VirtualProtect(slot, sizeof *slot, PAGE_READWRITE, &protection);
        *slot = commit;
        VirtualProtect(slot, sizeof *slot, protection, &protection);
      }
}

// The section that was created last, from which a larger one can be made.
static HANDLE last_file, last_section;
static ULONG last_protection, last_attributes;
static ACCESS_MASK last_access;

__declspec(dllexport) NTSTATUS NTAPI NtCreateSection(PHANDLE section, ACCESS_MASK access, void *object, PLARGE_INTEGER size,
                                                     ULONG protection, ULONG attributes, HANDLE file) {
  NTSTATUS status = ((CreateSection)real("NtCreateSection"))(section, access, object, size, protection, attributes, file);
  redirect(__builtin_return_address(0));
  if (status) return status;
  last_file = file;
  last_section = *section;
  last_protection = protection;
  last_attributes = attributes;
  last_access = access;
  return status;
}

__declspec(dllexport) NTSTATUS NTAPI NtMapViewOfSection(HANDLE section, HANDLE process, PVOID *at, ULONG_PTR zero_bits, SIZE_T committed,
                                                        PLARGE_INTEGER offset, PSIZE_T size, int inherit, ULONG type, ULONG protection) {
  MapView map = (MapView)real("NtMapViewOfSection");
  SIZE_T wanted = *size;
  PVOID wanted_at = *at;
  NTSTATUS status = map(section, process, at, zero_bits, committed, offset, size, inherit, type, protection);
  if (!status || section != last_section || !(type & MEM_RESERVE)) return status;
  LARGE_INTEGER end = {.QuadPart = wanted + (offset ? offset->QuadPart : 0)};
  LARGE_INTEGER now;
  if (!GetFileSizeEx(last_file, &now) || now.QuadPart >= end.QuadPart) return status;
  // A section with a size extends its file, sparsely.
  HANDLE large;
  CreateSection create = (CreateSection)real("NtCreateSection");
  if (create(&large, last_access, NULL, &end, last_protection, last_attributes, last_file)) return status;
  *size = wanted;
  *at = wanted_at;
  status = map(large, process, at, zero_bits, committed, offset, size, inherit, type, protection);
  ((Close)real("NtClose"))(large);
  return status;
}

__declspec(dllexport) NTSTATUS NTAPI NtClose(HANDLE handle) { return ((Close)real("NtClose"))(handle); }
__declspec(dllexport) void *napi_register_module_v1(void *environment, void *exports) { return exports; }
BOOL WINAPI DllMain(HINSTANCE handle, DWORD reason, LPVOID reserved) { return TRUE; }
