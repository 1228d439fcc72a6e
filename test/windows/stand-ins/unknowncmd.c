// Ends as cmd.exe of Windows does for a program that does not exist. The one of Wine 8 ends with another code.
#include <stdio.h>

int main(int count, char **words) {
  const char *program = count > 1 ? words[count - 1] : "";
  fprintf(stderr, "'%s' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n", program);
  return 1;
}
