// Settings of Stryker for main.js, which chooses what is mutated.
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: {configFile: 'mutants/vitest.config.ts', related: false},
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // Mutants that never end are noticed by how often they run; a busy machine must not seem to be one.
  timeoutMS: 30_000,
  tempDirName: 'mutants/.temp',
  reporters: ['progress-append-only', 'json', 'html'],
  jsonReporter: {fileName: 'mutants/reports/report.json'},
  htmlReporter: {fileName: 'mutants/reports/report.html'},
  // It would ask the API of TypeScript, which version 7 does not have; Vitest needs no types.
  tsconfigFile: 'mutants/none',
  ignorePatterns: [
    'bench',
    'console',
    'dist',
    'docs',
    'examples',
    'fuzz',
    'mutants/reports',
    'packages',
    'release',
    'templates',
    'torture',
  ],
};
