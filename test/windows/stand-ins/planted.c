// A program that lies in a folder under the name of another: it leaves a file beside itself, and ends.
#include <stdio.h>
#include <string.h>
#include <windows.h>

int main(void) {
  wchar_t path[1024];
  GetModuleFileNameW(NULL, path, 1000);
  wcscat(path, L".ran");
  CloseHandle(CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL));
  return 0;
}
