import {build, defineConfig, type Plugin} from 'vite';
import manifest from './plugin.json' with {type: 'json'};

// A plugin whose files other users of the machine could change is not run.
process.umask(0o022);

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
  });
}

/** Builds the background with the page, and again after each change while the dev server runs. */
function background(): Plugin {
  return {
    name: 'background',
    async configureServer(server) {
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
  server: {port: 5173, strictPort: true},
  plugins: [background()],
});
