// Runs a program and presses Ctrl+Break: break FILE COMMAND. It is pressed when FILE appears. The exit code is that of the program.
#include <windows.h>
#include <stdio.h>

// Returns what follows a word of a command line; the word may be in quotes.
static LPWSTR skip(LPWSTR text) {
  BOOL quoted = FALSE;
  for (; *text && (quoted || *text != L' '); text++)
    if (*text == L'"') quoted = !quoted;
  while (*text == L' ') text++;
  return text;
}

int main(void) {
  LPWSTR rest = skip(GetCommandLineW());
  LPWSTR command = skip(rest);
  WCHAR file[MAX_PATH];
  int length = 0;
  for (LPWSTR at = rest; at < command && length < MAX_PATH - 1; at++)
    if (*at != L'"') file[length++] = *at;
  while (length > 0 && file[length - 1] == L' ') length--;
  file[length] = 0;

  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process;
  if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process)) return 100;
  while (GetFileAttributesW(file) == INVALID_FILE_ATTRIBUTES)
    if (WaitForSingleObject(process.hProcess, 100) == WAIT_OBJECT_0) return 101;
  // What a console does for the key: a thread in the program that calls its handlers. Wine 8 has no GenerateConsoleCtrlEvent().
  HMODULE kernel = GetModuleHandleW(L"kernelbase.dll");
  LPTHREAD_START_ROUTINE routine = (LPTHREAD_START_ROUTINE)(void *)GetProcAddress(kernel, "CtrlRoutine");
  if (!routine || !CreateRemoteThread(process.hProcess, NULL, 0, routine, (void *)CTRL_BREAK_EVENT, 0, NULL)) return 102;
  WaitForSingleObject(process.hProcess, INFINITE);
  DWORD code = 103;
  GetExitCodeProcess(process.hProcess, &code);
  return code;
}
