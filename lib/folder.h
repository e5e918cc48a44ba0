/* folder.h - private folders, which go when the process ends.
 *
 *	char *dir = folder_make("/tmp/tp-XXXXXX");     NULL said
 *	...
 *	folder_remove(dir); free(dir);
 *
 * One that is still there at exit(3) (memory ended, say) is removed then, by the
 * process that made it alone.  Signals remove nothing here: the programs that
 * have such folders turn them into an ordinary end (job.h). */
#ifndef TP_FOLDER_H
#define TP_FOLDER_H

#include "base.h"

/* Of mode 0700, its name malloc'd; the pattern is mkdtemp's. */
char *folder_make(const char *pattern) RESULT_USED;
/* With all that lies in it, FOLDER_DEPTH deep.  What cannot be removed stays:
 * there is nothing to be done about it. */
void folder_remove(const char *dir);
#define FOLDER_DEPTH 3

/* A folder that we made where the user said goes again if nothing came into it. */
void folder_unmake(const char *path);

#endif
