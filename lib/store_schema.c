/* store_schema.c - the tables and views of a new store. */
#include "base.h"
#include "store.h"

#include "event.h"
#include "idle.h"

static const char schema[] =
#include "store.sql.h"
	;

#define COUNT(name, words) "ALTER TABLE trace ADD COLUMN " #name \
	" INTEGER NOT NULL DEFAULT 0;"
static const char count_columns[] =
#include "counts.def"
	;
#undef COUNT

#define COUNT(name, words) ", t." #name " AS " #name
static const char traces_view[] =
	"CREATE VIEW traces AS SELECT t.number AS trace, t.rank AS rank,"
	" t.path AS path, t.host AS host, t.world_size AS world_size,"
	" t.torch AS torch, t.device_name AS device_name, t.sms AS sms,"
	" t.capacity AS capacity, t.partial AS partial"
#include "counts.def"
	" FROM trace t";
#undef COUNT

#define X(e, n, d, k) n,
static const char *const cat_text[] = { EVENT_CATS(X) };
#undef X

int store_create_schema(struct db *db)
{
	size_t i;

	if (db_execf(db, "PRAGMA application_id=%d; PRAGMA user_version=%d",
		STORE_APPLICATION_ID, STORE_VERSION) < 0
	    || db_exec(db, schema) < 0 || db_exec(db, count_columns) < 0
	    || db_exec(db, traces_view) < 0)
		return -1;
	for (i = 0; i < ARRAY_LEN(cat_text); i++)
		if (db_execf(db, "INSERT INTO cat VALUES (%d,%Q)", (int)i,
			cat_text[i]) < 0)
			return -1;
	for (i = 0; i < IDLE_CAUSE_COUNT; i++)
		if (db_execf(db, "INSERT INTO cause VALUES (%d,%Q)", (int)i,
			idle_cause_name((enum idle_cause)i)) < 0)
			return -1;
	return 0;
}
