// Appends the words that it was started with to a file beside itself, as UTF-8, each with a zero at its end; then one more word, "\1".
#include <stdio.h>
#include <windows.h>

int wmain(int count, wchar_t **words) {
  wchar_t path[1024];
  char text[8192];
  GetModuleFileNameW(NULL, path, 1000);
  wcscat(path, L".words");
  FILE *file = _wfopen(path, L"ab");
  for (int at = 1; at < count; at++) {
    int bytes = WideCharToMultiByte(CP_UTF8, 0, words[at], -1, text, sizeof text, NULL, NULL);
    fwrite(text, 1, bytes, file);
  }
  fwrite("\1", 1, 2, file);
  fclose(file);
  return 0;
}
