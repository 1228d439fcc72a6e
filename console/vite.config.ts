import {fileURLToPath} from 'node:url';
import {defineConfig} from 'vite';

const sources = fileURLToPath(new URL('../src/', import.meta.url));

/** Builds the console into static files for the service. `npm run build` calls it with the folder to build into. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // The page itself is `/`, and all that it loads is below one path of the service.
  base: '/console/',
  resolve: {
    alias: [
      {find: /^crewroom\/client$/, replacement: `${sources}client/index.ts`},
      {find: /^crewroom\/client\/service$/, replacement: `${sources}client/service/index.ts`},
      // As `browser` in package.json does for the built files.
      {find: /^.*\/network\/network\.ts$/, replacement: `${sources}client/network/page-network.ts`},
    ],
  },
  oxc: {jsx: {runtime: 'automatic', importSource: 'preact'}},
  build: {
    // The policy of the page forbids `data:` URLs of scripts and fonts: every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: {polyfill: false},
    reportCompressedSize: false,
    // All that the first page needs at once is one file.
    rolldownOptions: {output: {codeSplitting: {groups: [{name: 'console', tags: ['$initial']}]}}},
  },
});
