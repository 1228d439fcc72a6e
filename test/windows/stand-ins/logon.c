// Starts what the Run key has for crewroom, as Explorer does at log-on: a program for consoles gets one of its own, with a window. The exit code is
// that of the program; 1 if there is none. The conhost.exe of Wine 8 starts no program, so this does for its option --headless what the one of
// Windows does: the program gets a console without a window.
#include <windows.h>

#define KEY L"Software\\Microsoft\\Windows\\CurrentVersion\\Run"
#define HEADLESS L"conhost.exe --headless "

int main(void) {
  WCHAR command[1024];
  DWORD size = sizeof command;
  if (RegGetValueW(HKEY_CURRENT_USER, KEY, L"crewroom", RRF_RT_REG_SZ, NULL, command, &size)) return 1;
  LPWSTR headless = wcsstr(command, HEADLESS);
  LPWSTR program = headless ? headless + wcslen(HEADLESS) : command;
  STARTUPINFOW startup = {.cb = sizeof startup};
  PROCESS_INFORMATION process;
  DWORD console = headless ? CREATE_NO_WINDOW : CREATE_NEW_CONSOLE;
  if (!CreateProcessW(NULL, program, NULL, NULL, FALSE, console, NULL, NULL, &startup, &process)) return 100;
  WaitForSingleObject(process.hProcess, INFINITE);
  DWORD code = 101;
  GetExitCodeProcess(process.hProcess, &code);
  return code;
}
