import {rm, writeFile} from 'node:fs/promises';
import {build, defineConfig, type Plugin} from 'vite';
import manifest from './plugin.json' with {type: 'json'};

// A plugin whose files other users of the machine could change is not run.
process.umask(0o022);

/** The file from which the service takes the error of a build, to show it over the page. */
const BUILD_ERROR = '.build-error';

/** Keeps the error of the last build, and removes it once a build succeeds. */
function reportErrors(): Plugin {
  const keep = async (error?: Error & {readonly errors?: readonly Error[]}): Promise<void> => {
    if (error !== undefined) await writeFile(BUILD_ERROR, (error.errors?.[0] ?? error).message);
  };
  return {
    name: 'report-errors',
    buildEnd: keep,
    renderError: keep,
    writeBundle: () => rm(BUILD_ERROR, {force: true}),
  };
}

/** Bundles the background into one CommonJS module, which is the form that every client loads. */
function buildBackground(watch: boolean): ReturnType<typeof build> {
  return build({
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: 'src/background/index.ts',
      outDir: 'background',
      sourcemap: true,
      target: 'node20',
      watch: watch ? {} : null,
      rolldownOptions: {output: {format: 'cjs', entryFileNames: 'index.js', exports: 'default'}},
    },
    ssr: {noExternal: true},
    plugins: [reportErrors()],
  });
}

/** Builds the background with the page, and again after each change while the dev server runs. */
function background(): Plugin {
  return {
    name: 'background',
    async configureServer(server) {
      // The page is at the address that "crewroom dev" shows.
      server.printUrls = () => {};
      const watcher = await buildBackground(true);
      server.httpServer?.once('close', () => 'close' in watcher && watcher.close());
    },
    async closeBundle() {
      if (this.environment.mode === 'build') await buildBackground(false);
    },
  };
}

export default defineConfig({
  root: 'src/page',
  base: `/plugins/${manifest.id}/`,
  build: {outDir: '../../ui', emptyOutDir: true},
  clearScreen: false,
  // "crewroom dev" chooses the port, and names its own address.
  server: {
    port: Number(process.env['PORT'] ?? 5173),
    strictPort: true,
    proxy: {'/api': {target: process.env['CREWROOM_URL'] ?? 'http://localhost:7172', changeOrigin: true, ws: true}},
  },
  plugins: [background()],
});
