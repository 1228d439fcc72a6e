import {fileURLToPath} from 'node:url';
import {AppError} from '../../core/failures/app-error.ts';
import {emptyAnswer, WINDOW_HEADERS} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {CLIENT_MODULE, DEVTOOLS_FILE} from '../core/sites.ts';
import {answerFile} from '../files/file-answer.ts';
import {assertNoQuery} from './read-parameters.ts';

/** The client as one module for pages, seen from the sources and from the built files alike. */
const CLIENT_FILE = fileURLToPath(new URL('../../../dist/page-client.js', import.meta.url));

/** `/client.js`: the client for pages that need no build. Under the same rules as all else: for pages of plugins and of allowed origins. */
export function pageClientRoutes(): readonly Route[] {
  return [
    {
      path: CLIENT_MODULE,
      needs: 'nothing',
      GET: async ({request, query}) => {
        assertNoQuery(query);
        const answered = await answerFile(request, CLIENT_FILE, {rawHeaders: WINDOW_HEADERS});
        if (answered === undefined) throw new AppError({code: 'no-resource', path: CLIENT_MODULE});
        return answered;
      },
    },
    // No failure, which the terminal would show.
    {path: DEVTOOLS_FILE, needs: 'nothing', GET: () => emptyAnswer(404, ['Content-Length', '0'])},
  ];
}
