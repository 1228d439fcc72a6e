/** Header with the kinds of the faults that changed an answer. */
export const FAULT_HEADER = 'Crewroom-Fault';
