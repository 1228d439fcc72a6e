// Holds a file open, as a backup or a virus scanner does: hold FILE SHARED MILLISECONDS.
// SHARED is the sum of what other programs may still do: 1 read, 2 write, 4 delete and rename.
#include <windows.h>
#include <shellapi.h>
#include <stdio.h>

int main(void) {
  int count;
  // Names of files in UTF-16: those of main() have lost every character that the code page lacks.
  LPWSTR *words = CommandLineToArgvW(GetCommandLineW(), &count);
  if (count != 4) return 2;
  HANDLE file = CreateFileW(words[1], GENERIC_READ, wcstoul(words[2], NULL, 10), NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE) {
    printf("not held: error %lu\n", GetLastError());
    return 1;
  }
  puts("held");
  fflush(stdout);
  Sleep(wcstoul(words[3], NULL, 10));
  return 0;
}
