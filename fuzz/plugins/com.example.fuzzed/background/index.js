// The plugin that the fuzzer calls: its routes answer, fail and stay silent.
let settings = {};

const echo = {
  description: 'The request',
  handler: ({method, url, params, query, headers, body}, res) =>
    res.json({method, url, params, query, headers, body, settings}),
};

const text = {description: 'A text', handler: (_, res) => res.send('<p>A text</p>')};
const bytes = {description: 'Bytes', handler: (_, res) => res.send(Buffer.from([0, 255]))};
const created = {description: 'Another status', handler: (_, res) => res.status(201).json({})};
const empty = {description: 'No content', handler: (_, res) => res.status(204).send('')};
const refused = {description: 'A refusal of its own', handler: (_, res) => res.status(404).json({message: 'no'})};

const fail = {
  description: 'Fails',
  handler: () => {
    throw new Error('as it was asked to');
  },
};

module.exports = {
  onStart: ({va_user}) => console.log(`started for ${va_user.firstName}`),
  onSettingsUpdate: changed => {
    settings = changed;
  },
  routes: {
    get: {echo, text, bytes, created, empty, refused, fail, silent: {description: 'Never answers', handler: () => {}}},
    post: {echo, text, bytes, created, empty, refused, fail},
  },
};
