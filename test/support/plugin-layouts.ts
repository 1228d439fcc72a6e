import type {PluginFiles} from './plugin-folder.ts';
import {manifestOf} from './plugin-folder.ts';

/** A plugin as its project has it: sources, and what its build adds. */
export interface PluginLayout {
  readonly name: string;
  readonly id: string;
  /** Files of a fresh clone. */
  readonly sources: PluginFiles;
  /** Files that its build writes. */
  readonly built: PluginFiles;
  /** Places of its parts once it is built. */
  readonly places: readonly string[];
  /** Files of its package. */
  readonly packed: readonly string[];
}

/** A bundle of a background with one route, which says where it is from. */
const BUNDLE = `module.exports = {routes: {get: {place: {description: '', handler: (_, res) => res.json('built')}}}};`;

const VITE_PAGE = '<!doctype html><script type="module" src="/src/main.tsx"></script>';

/** A page as Vite writes it. */
function builtPage(id: string): string {
  return `<!doctype html><script type="module" crossorigin src="/plugins/${id}/assets/index-1.js"></script><p>the built page`;
}

const SDK = {'@tfdidesign/smartcars3-ui-sdk': '^0.10.4'};

/** Plugins in the layouts of published ones. */
export const LAYOUTS: readonly PluginLayout[] = [
  {
    name: 'two projects, esbuild and Vite',
    id: 'com.example.vite',
    sources: {
      'plugin.json': manifestOf('com.example.vite'),
      'background/package.json': '{"scripts": {"build": "node build.js"}}',
      'background/index.ts': 'export = {routes: {}};',
      'background/sdk/index.ts': '',
      'ui/package.json': '{"type": "module", "scripts": {"dev": "vite", "build": "tsc -b && vite build"}}',
      'ui/vite.config.ts': 'export default {base: "/plugins/com.example.vite/"};',
      'ui/index.html': VITE_PAGE,
      'ui/src/main.tsx': '',
      'pack.js': '',
    },
    built: {
      'background/build/index.js': BUNDLE,
      'ui/dist/index.html': builtPage('com.example.vite'),
      'ui/dist/assets/index-1.js': '',
    },
    places: ['background in background/build', 'page in ui/dist'],
    packed: ['background/index.js', 'plugin.json', 'ui/assets/index-1.js', 'ui/index.html'],
  },
  {
    name: 'two projects, webpack and Create React App',
    id: 'com.example.react-app',
    sources: {
      'plugin.json': manifestOf('com.example.react-app', {type: 'airline', availableSettings: []}),
      'background/package.json':
        '{"scripts": {"build": "webpack"}, "dependencies": {"@tfdidesign/smartcars3-background-sdk": "^0.9.2"}}',
      'background/index.js': `
const axios = __non_webpack_require__('axios');
const {log} = require('@tfdidesign/smartcars3-background-sdk');
module.exports = {routes: {get: {place: {description: '', handler: (_, res) => res.json('source')}}}};`,
      'ui/package.json': JSON.stringify({
        scripts: {start: 'react-scripts start', build: 'react-scripts build'},
        dependencies: SDK,
      }),
      'ui/public/index.html': '<!doctype html><div id="root"></div>',
      'ui/public/menu_icon_dark.png': '',
      'ui/src/index.js': '',
    },
    built: {
      'background/build/index.js': BUNDLE,
      'ui/build/index.html': builtPage('com.example.react-app'),
      'ui/build/assets/index-1.js': '',
      'ui/build/menu_icon_dark.png': '',
    },
    places: ['background in background/build', 'page in ui/build'],
    packed: ['background/index.js', 'plugin.json', 'ui/assets/index-1.js', 'ui/index.html', 'ui/menu_icon_dark.png'],
  },
  {
    name: 'one project that builds a whole plugin into build/<id>',
    id: 'com.example.sounds',
    sources: {
      'plugin.json': manifestOf('com.example.sounds'),
      'package.json': '{"scripts": {"build": "webpack --config webpack.config.js"}}',
      'index.ts': '',
      'modules/local.ts': '',
      'soundpacks/default/boarding.wav': '',
    },
    built: {
      'build/com.example.sounds/plugin.json': manifestOf('com.example.sounds'),
      'build/com.example.sounds/background/index.js': BUNDLE,
      'build/com.example.sounds/background/soundpacks/default/boarding.wav': '',
    },
    places: ['background in build/com.example.sounds/background', 'manifest in build/com.example.sounds/plugin.json'],
    packed: ['background/index.js', 'background/soundpacks/default/boarding.wav', 'plugin.json'],
  },
  {
    name: 'one project that builds a page and a manifest into dist/',
    id: 'com.example.pictures',
    sources: {
      'plugin.json': manifestOf('com.example.pictures', {type: 'airline', allowedCommunities: ['3']}),
      'package.json': '{"type": "module", "scripts": {"dev": "vite", "build": "tsc -b && vite build"}}',
      'pnpm-lock.yaml': '',
      'vite.config.ts': 'export default {server: {\n      port: 3000,\n    }};',
      'index.html': VITE_PAGE,
      'src/main.tsx': '',
    },
    built: {
      'dist/plugin.json': manifestOf('com.example.pictures', {type: 'airline', allowedCommunities: ['3']}),
      'dist/ui/index.html': builtPage('com.example.pictures'),
      'dist/ui/assets/index-1.js': '',
    },
    places: ['page in dist/ui', 'manifest in dist/plugin.json'],
    packed: ['plugin.json', 'ui/assets/index-1.js', 'ui/index.html'],
  },
];
