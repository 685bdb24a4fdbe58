/* The library is loaded, used and unloaded, and then the program forks. usage: unload LIBRARY */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* C has no conversion from an object's pointer to a function's. */
static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);

    memcpy(function, &found, sizeof found);
}

int main(int count, char **arguments)
{
    int (*make)(const char *, const void *, size_t, void **), status;
    void (*end)(void *), *library, *rng;
    pid_t child;

    library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library) {
        fprintf(stderr, "%s\n", count == 2 ? dlerror() : "usage: unload LIBRARY");
        return 2;
    }
    find(library, "algkit_rng_new", &make), find(library, "algkit_rng_free", &end);
    if (!make || !end || make("stdrng", NULL, 0, &rng))
        return 3;
    end(rng);
    if (dlclose(library) || dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD)) {
        fprintf(stderr, "the library is still there\n");
        return 4;
    }
    child = fork();
    if (!child)
        _exit(0);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 5;
}
