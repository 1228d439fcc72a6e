/**
 * Kills this process and, except on Windows, the processes that it started and that did not leave its group. On Windows they
 * end with the process that started them: Node puts them into a job that ends with it.
 */
export function killGroup(): void {
  process.kill(process.platform === 'win32' ? process.pid : -process.pid, 'SIGKILL');
}
